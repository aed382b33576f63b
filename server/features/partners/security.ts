import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import type { SecurityPreview, SecuritySettings } from '../../../shared/api/partners.ts'
import { isObject } from '../../../shared/objects.ts'
import { parseNetwork } from '../../lib/address-list.ts'
import { fromJson, type JsonText } from '../../lib/json.ts'
import type { UserActor } from '../../platform/actor.ts'
import { AppError, validationError } from '../../platform/errors.ts'
import type { Json } from './settings.ts'

/** Refuses settings that would leave somebody who is enrolled without a factor they may use; `orgId` null is the partner. */
export type AssertNobodyLockedOut = (tenant: { partnerId: string; orgId: string | null }, settings: string) => void

/** Whom settings that pass would hit at once. */
export type PreviewSecurityChange = (actor: UserActor, before: string, after: string) => SecurityPreview

/** Security settings under the names they are stored by, with a list whose every entry can be read. */
export function storableSecurity({ allowedMethods, ...sent }: SecuritySettings & Json): Json {
  const allowedMfaMethods = { ...sent.allowedMfaMethods, ...allowedMethods }
  return {
    ...sent,
    ...((allowedMethods || sent.allowedMfaMethods) && { allowedMfaMethods }),
    ...(sent.ipAllowlist && { ipAllowlist: readableEntries(sent.ipAllowlist) }),
  }
}

/** Settings as they are answered: clients know the allowed methods by either name. */
export function answeredSettings(settings: Json): Json {
  const { security } = settings
  if (!isObject(security) || security.allowedMfaMethods === undefined) return settings
  return { ...settings, security: { ...security, allowedMethods: security.allowedMfaMethods } }
}

/** What the partner has settled an organization may repeat but not change. */
export function assertUnlocked(partnerSettings: JsonText<Json>, { security }: Json): void {
  const { security: settled } = fromJson(partnerSettings)
  if (!isObject(settled) || !isObject(security)) return
  const locked = Object.keys(security)
    .filter((field) => settled[field] !== undefined && !isDeepStrictEqual(settled[field], security[field]))
    .map((field) => `security.${field}`)
  if (locked.length > 0)
    throw new AppError('settings_locked', { error: `Set by the partner: ${locked.join(', ')}`, locked })
}

function readableEntries(entries: readonly string[]): string[] {
  const issues = entries.flatMap((entry, index) =>
    parseNetwork(entry) === null ? [unreadable(entry, ['settings', 'security', 'ipAllowlist', index])] : [],
  )
  if (issues.length > 0) throw validationError(new z.ZodError(issues))
  return entries.map((entry) => entry.trim())
}

const unreadable = (input: string, path: (string | number)[]) => ({
  code: 'custom' as const,
  input,
  path,
  message: 'Each IP allowlist entry must be a valid IP address or CIDR range',
})
