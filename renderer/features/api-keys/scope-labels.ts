import { type ApiKeyScope, type KeyHolder, missingFor } from '../../../shared/api/api-keys.ts'
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
  'ai:read': { label: 'AI assistant: view', about: 'Devices now; alerts, scripts and automations later.' },
  'ai:write': { label: 'AI assistant: change', about: 'Devices now; alerts, scripts and automations later.' },
  'ai:execute_admin': { label: 'Full access', about: 'Everything API keys can do, now and in future versions.' },
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

/** By area; `idleScopes` open nothing yet, which a contract test verifies. */
export const usableScopes = [
  { name: 'Devices', scopes: ['devices:read', 'devices:write'] },
  { name: 'People', scopes: ['users:read'] },
  { name: 'AI assistants', scopes: ['ai:read', 'ai:write'] },
  { name: 'Unlimited', scopes: ['ai:execute_admin'] },
] as const satisfies readonly { name: string; scopes: readonly ApiKeyScope[] }[]
export const idleScopes = [
  'devices:execute',
  'scripts:read',
  'scripts:write',
  'scripts:execute',
  'alerts:read',
  'alerts:write',
  'reports:read',
  'reports:write',
  'ai:execute',
] as const satisfies readonly ApiKeyScope[]

export const scopeName = (scope: ApiKeyScope): string => scopeTexts[scope].label
export const scopeDescription = (scope: ApiKeyScope): string | undefined => scopeTexts[scope].about

/** The scopes in one line that begins with a capital letter. */
export const scopeSummary = (scopes: readonly ApiKeyScope[]): string => {
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
