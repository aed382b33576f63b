import { isDeepStrictEqual } from 'node:util'
import { sharedSettings, type updateOrganization } from '../../../shared/api/organizations.ts'
import type { BodyOf } from '../../../shared/endpoint.ts'
import { AppError } from '../../platform/errors.ts'
import { answeredSettings, storableSecurity } from '../partners/index.ts'

export type Json = Record<string, unknown>

/** What the public API keeps of the life of an organization in its settings; here it has columns of its own. */
const lifecycleKeys = new Set([
  'archivePriorStatus',
  'archivePurgeWarn14SentAt',
  'archivePurgeWarn1SentAt',
  'purgingRecoveryAttempts',
  'mergePriorStatus',
])

/** Settings are free to use and replaced as a whole, but for what the server goes by. */
export const storableSettings = (sent: NonNullable<BodyOf<typeof updateOrganization>['settings']> | null): Json => {
  const { security, ...others } = sent ?? {}
  return { ...withoutLifecycle(others), ...(security && { security: storableSecurity(security) }) }
}

/** Settings as they are answered. */
export const shownSettings = (stored: Json): Json => answeredSettings(withoutLifecycle(stored))

/** What the partner has set, an organization may repeat but not change. */
export function assertUnlocked(partnerSettings: string, wanted: Json): void {
  const set = JSON.parse(partnerSettings) as Json
  const locked = lockedFields(set).filter(([group, field]) => {
    const value = groupOf(wanted, group)[field]
    return value !== undefined && !isDeepStrictEqual(value, groupOf(set, group)[field])
  })
  if (locked.length === 0) return
  const names = locked.map((path) => path.join('.'))
  throw new AppError('settings_locked', { error: `Set by the partner: ${names.join(', ')}`, locked: names })
}

/** The settings in force, field by field: the partner's, and the organization's where the partner has none. */
export function effectiveSettings(partnerSettings: string, organizationSettings: string) {
  const [set, own] = [partnerSettings, organizationSettings].map((text) => JSON.parse(text) as Json) as [Json, Json]
  const merged = sharedSettings.map((group) => [group, { ...groupOf(own, group), ...groupOf(set, group) }])
  return {
    effective: answeredSettings(Object.fromEntries(merged)) as Record<(typeof sharedSettings)[number], Json>,
    locked: lockedFields(set).map((path) => path.join('.')),
  }
}

const lockedFields = (set: Json): [group: string, field: string][] =>
  sharedSettings.flatMap((group) => Object.keys(groupOf(set, group)).map((field): [string, string] => [group, field]))

function groupOf(settings: Json, group: string): Json {
  const value = settings[group]
  return isObject(value) ? value : {}
}

const withoutLifecycle = (settings: Json): Json =>
  Object.fromEntries(Object.entries(settings).filter(([key]) => !lifecycleKeys.has(key)))

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)
