import type { AuditEntryView } from '../../../shared/api/audit-log.ts'
import { auditActions } from '../../../shared/audit-actions/index.ts'
import { plural } from '../../lib/format.ts'

const labels: Readonly<Record<string, string>> = auditActions

export const knownActions: readonly string[] = Object.keys(auditActions)

const command = 'agent.command.'

/** An unknown action, for example of a newer server, shows its wire name. */
export function actionName(action: string): string {
  const name = labels[action]
  if (name) return name
  if (action.startsWith(command)) return `Sent a command: ${commandName(action.slice(command.length))}`
  const text = plain(action)
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** What an entry tells of; an import is named as a whole. */
export function entryName({ action, details, folded }: Pick<AuditEntryView, 'action' | 'details' | 'folded'>): string {
  if (folded?.as === 'import') return `Imported ${plural(folded.count, 'contact')}`
  const name = actionName(action)
  // Of several, each has its own.
  const outcome = folded ? null : outcomeOf(action, details ?? {})
  return outcome ? `${name}: ${outcome}` : name
}

/** What makes one event of its kind differ from the next. */
function outcomeOf(action: string, { to, exitCode }: Record<string, unknown>): string | null {
  if (action === 'agent.heartbeat.state_change' && typeof to === 'string') return to
  if (action === 'agent.command.result.submit' && typeof exitCode === 'number') return `exit code ${exitCode}`
  return null
}

/** As lists of commands call it. */
const commandName = (type: string) => commandWords[type] ?? plain(type)
const commandWords: Record<string, string> = { reboot: 'restart', shutdown: 'shut down' }

const plain = (name: string) => name.replaceAll(/[._]/g, ' ')

const resourceWords: Record<string, string> = {
  api_key: 'API key',
  audit_log: 'Audit log',
  backup_config: 'Backup storage',
  config_policy: 'Policy',
  partner: 'Company',
  psa_connection: 'Ticket system',
  sms: 'Text message',
  sso_domain: 'Domain',
  sso_provider: 'Identity provider',
  user: 'Account',
}

/** The kind of object that an action was done to. */
export function resourceName(type: string): string {
  const text = plain(type)
  return resourceWords[type] ?? text.charAt(0).toUpperCase() + text.slice(1)
}

const fieldWords: Record<string, string> = {
  deviceGroupNames: 'Device groups',
  orgAccess: 'Organizations',
  orgNames: 'Organization access',
  parentRoleName: 'Parent role',
  roleName: 'Role',
  siteName: 'Site',
  siteNames: 'Sites',
}

/** Field names are those of the API: `maxDevices`, `org_ids`. */
export function fieldName(name: string): string {
  const text = plain(name.replaceAll(/([a-z])([A-Z])/g, (_, a: string, b: string) => `${a} ${b.toLowerCase()}`))
  return fieldWords[name] ?? text.charAt(0).toUpperCase() + text.slice(1)
}
