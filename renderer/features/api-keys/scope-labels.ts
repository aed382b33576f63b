import { type ApiKeyScope, type KeyHolder, missingFor } from '../../../shared/api/api-keys.ts'
import { isGrantable } from '../../../shared/api/in-use.ts'
import type { Me } from '../../../shared/api/profile.ts'
import { grantName } from '../../../shared/permissions.ts'
import { maySeePeople } from '../../domain/people/people-permissions.ts'
import { permissionName } from '../../domain/roles/permission-labels.ts'

interface ScopeText {
  label: string
  about?: string
}

const scopeTexts: Record<ApiKeyScope, ScopeText> = {
  'devices:read': {
    label: 'View devices',
    about: 'Hardware, software, network, metrics, commands and groups.',
  },
  'devices:write': {
    label: 'Change devices',
    about: 'Start and end maintenance; approve or reject pending devices.',
  },
  'users:read': {
    label: 'View people',
    about: 'The organization’s people, their email addresses and roles.',
  },
  'ai:read': { label: 'AI assistant: view', about: 'The same access as “View devices”.' },
  'ai:write': { label: 'AI assistant: change', about: 'The same access as “Change devices”.' },
  'ai:execute_admin': { label: 'Full access', about: 'Everything API keys can do.' },
  'devices:execute': { label: 'Run commands on devices' },
  'scripts:read': { label: 'View scripts' },
  'scripts:write': { label: 'Change scripts' },
  'scripts:execute': { label: 'Run scripts' },
  'alerts:read': { label: 'View alerts' },
  'alerts:write': { label: 'Change alerts' },
  'reports:read': { label: 'View reports' },
  'reports:write': { label: 'Change reports' },
  'ai:execute': { label: 'AI assistant: run commands and scripts' },
}

const areas: readonly { name: string; scopes: readonly ApiKeyScope[] }[] = [
  { name: 'Devices', scopes: ['devices:read', 'devices:write', 'devices:execute'] },
  { name: 'Scripts', scopes: ['scripts:read', 'scripts:write', 'scripts:execute'] },
  { name: 'Alerts', scopes: ['alerts:read', 'alerts:write'] },
  { name: 'Reports', scopes: ['reports:read', 'reports:write'] },
  { name: 'People', scopes: ['users:read'] },
  { name: 'AI assistants', scopes: ['ai:read', 'ai:write', 'ai:execute'] },
  { name: 'Unlimited', scopes: ['ai:execute_admin'] },
]

/** What a key can be given, by area. */
export const grantableAreas = areas
  .map(({ name, scopes }) => ({ name, scopes: scopes.filter(isGrantable) }))
  .filter(({ scopes }) => scopes.length > 0)

export const scopeName = (scope: ApiKeyScope): string => scopeTexts[scope].label
export const scopeDescription = (scope: ApiKeyScope): string | undefined => scopeTexts[scope].about

/** The scopes in one line that begins with a capital letter; those that open nothing are called so. */
export const scopeSummary = (scopes: readonly ApiKeyScope[]): string => {
  const [used, unused] = [scopes.filter(isGrantable), scopes.filter((scope) => !isGrantable(scope))]
  const parts = [listed(used), ...(unused.length > 0 ? [`not used yet: ${lowered(listed(unused))}`] : [])]
  return parts.join('; ')
}

const listed = (scopes: readonly ApiKeyScope[]): string => {
  const [first = 'Nothing', ...others] = scopes.map(scopeName)
  return [first, ...others.map(lowered)].join(', ')
}

/** The scopes within a sentence. */
export const scopeSummaryInSentence = (scopes: readonly ApiKeyScope[]): string => lowered(scopeSummary(scopes))

/** Keeps abbreviations such as AI. */
const lowered = (name: string) => name.replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase())

export const holderOf = (me: Me): KeyHolder => ({ grants: me.permissions, maySeePeople: maySeePeople(me) })

/** Why the user cannot give a key this scope; undefined if they can. */
export function scopeUnavailableReason(scope: ApiKeyScope, holder: KeyHolder): string | undefined {
  const missing = missingFor([scope], holder)
  if (!missing) return undefined
  if (!missingFor([scope], { ...holder, maySeePeople: true }))
    return 'Only people with access to all organizations of the company can grant this.'
  if (missing.resource === '*') return 'Only a full administrator can grant this.'
  return `Your role doesn’t allow this: ${permissionName(grantName(missing))}.`
}
