import { isDeepStrictEqual } from 'node:util'
import { sharedSettings, type updateOrganization } from '../../../shared/api/organizations.ts'
import type { BodyOf } from '../../../shared/endpoint.ts'
import { isObject } from '../../../shared/objects.ts'
import { fromJson, type JsonText } from '../../lib/json.ts'
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
export function assertUnlocked(partnerSettings: JsonText<Json>, wanted: Json): void {
  const set = fromJson(partnerSettings)
  const locked = lockedFields(set).filter(([group, field]) => {
    const value = groupOf(wanted, group)[field]
    return value !== undefined && !isDeepStrictEqual(value, groupOf(set, group)[field])
  })
  if (locked.length === 0) return
  const names = locked.map((path) => path.join('.'))
  throw new AppError('settings_locked', { error: `Set by the partner: ${names.join(', ')}`, locked: names })
}

/** The settings in force, field by field: the partner's, and the organization's where the partner has none. */
export function effectiveSettings(partnerSettings: JsonText<Json>, organizationSettings: JsonText<Json>) {
  const [set, own] = [fromJson(partnerSettings), fromJson(organizationSettings)]
  const inForce = (group: (typeof sharedSettings)[number]): Json => ({ ...groupOf(own, group), ...groupOf(set, group) })
  const { security } = answeredSettings({ security: inForce('security') })
  return {
    effective: {
      security: isObject(security) ? security : {},
      notifications: inForce('notifications'),
      eventLogs: inForce('eventLogs'),
      defaults: inForce('defaults'),
      branding: inForce('branding'),
    },
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
