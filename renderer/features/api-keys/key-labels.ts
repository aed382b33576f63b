import type { ApiKey, ApiKeyProblem } from '../../../shared/api/api-keys.ts'
import { dateOnly, plural } from '../../lib/format.ts'
import { dayMs } from '../../lib/now.ts'
import type { Tone } from '../../ui/status-dot.tsx'

type KeyStatusInput = Pick<ApiKey, 'status' | 'problem' | 'expiresAt' | 'createdByName' | 'orgName'>

/** Warn early: a key cannot be extended, and replacing it in a program takes time. */
const soonMs = 14 * dayMs

/** Status of a key in a word. */
export function keyStatusText(
  { status, problem, expiresAt }: Pick<ApiKey, 'status' | 'problem' | 'expiresAt'>,
  now = Date.now(),
): { word: string; tone: Tone } {
  if (status === 'revoked') return { word: 'Revoked', tone: 'idle' }
  if (status === 'expired') return { word: 'Expired', tone: 'idle' }
  if (problem) return { word: 'Refused', tone: 'bad' }
  const endsSoon = expiresAt !== null && Date.parse(expiresAt) - now < soonMs
  return endsSoon ? { word: 'Expires soon', tone: 'warn' } : { word: 'Active', tone: 'good' }
}

const replaceHint = 'Create a new key to replace it.'

const reasons: Record<ApiKeyProblem, (key: KeyStatusInput) => string> = {
  creator_inactive: ({ createdByName }) =>
    `The account of ${createdByName}, who created it, is disabled. ${replaceHint}`,
  creator_without_access: ({ createdByName, orgName }) =>
    `${createdByName}, who created it, no longer has access to ${orgName}. ${replaceHint}`,
  creator_lacks_permission: ({ createdByName }) =>
    `${createdByName}, who created it, no longer has all of these permissions. ${replaceHint}`,
  organization_inactive: ({ orgName }) => `${orgName} isn’t in service.`,
}

/** Why calls with an active key are refused; otherwise when it expires, if it does. */
export function keyStatusDetail(key: KeyStatusInput): string | null {
  const { status, problem, expiresAt } = key
  if (problem) return reasons[problem](key)
  if (status === 'revoked') return null
  if (!expiresAt) return 'Never expires'
  return `${status === 'active' ? 'Until' : 'On'} ${dateOnly(expiresAt)}`
}

export const rateLimitText = (rateLimit: number): string => `Up to ${plural(rateLimit, 'call')} per hour`

/** The search goes into the URL, and users may paste a whole key: only its prefix is kept. */
export const maskedKey = (search: string): string =>
  search.replace(/svc_[\w-]+/g, (key) => key.slice(0, 'svc_'.length + 8))
