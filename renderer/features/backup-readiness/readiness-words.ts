import {
  type BackupHealth,
  type DeviceReadiness,
  type RiskCode,
  readinessLimits,
} from '../../../shared/api/backup-readiness.ts'
import { plural, timeSpan } from '../../lib/format.ts'
import type { Tone } from '../../ui/status-dot.tsx'

/** How well devices could be brought back, in words. */

export const bands = ['high', 'medium', 'low'] as const
export type Band = (typeof bands)[number]

export const bandOf = (score: number): Band =>
  score >= readinessLimits.high ? 'high' : score >= readinessLimits.low ? 'medium' : 'low'

export const bandNames: Record<Band, string> = { high: 'Ready', medium: 'Partly ready', low: 'At risk' }
export const bandTones: Record<Band, Tone> = { high: 'good', medium: 'warn', low: 'bad' }
export const bandRanges: Record<Band, string> = {
  high: `${readinessLimits.high} and above`,
  medium: `${readinessLimits.low} to ${readinessLimits.high - 1}`,
  low: `below ${readinessLimits.low}`,
}

export const riskNames: Record<RiskCode, string> = {
  no_verification_history: 'Never checked',
  recent_verification_failure: 'A check failed',
  stale_verification: 'Last check too long ago',
  rto_above_target: 'Slow restore',
  restore_test_missing: 'No test restore',
}

export const severityTones: Record<'low' | 'medium' | 'high', Tone> = { low: 'idle', medium: 'warn', high: 'bad' }

type Reached = Pick<DeviceReadiness, 'estimatedRtoMinutes' | 'newestBackupAt'>

/** How long a restore takes. */
export const restoreTimeWords = ({ estimatedRtoMinutes: minutes }: Reached): string =>
  minutes === null ? 'Not measured yet' : `About ${timeSpan(Math.max(1, minutes) * 60)}`

/** How much would be lost: what came after the newest backup. */
export function lossWords({ newestBackupAt }: Reached, now: number): string {
  if (newestBackupAt === null) return 'Everything: no backup yet'
  const minutes = Math.floor((now - Date.parse(newestBackupAt)) / 60_000)
  return minutes < 1 ? 'Less than a minute' : `The last ${timeSpan(minutes * 60)}`
}

/** How an organization stands as a whole. */
export function healthWords({ status, readiness, escalations }: BackupHealth): { tone: Tone; words: string } {
  const { verificationFailures: failing, criticalVerificationFailures: criticalFailing } = escalations
  if (status === 'critical')
    return {
      tone: 'bad',
      words: `A check failed on ${plural(criticalFailing, 'critical device')}, and no later one has outweighed it.`,
    }
  if (status === 'degraded')
    return {
      tone: 'warn',
      words: `${plural(readiness.lowReadinessCount, 'device')} could hardly be brought back: the score is below ${readinessLimits.low}.`,
    }
  return {
    tone: 'good',
    words:
      failing === 0
        ? 'All protected devices could be brought back, as far as checks show.'
        : `No score is below ${readinessLimits.low}, but a check failed on ${plural(failing, 'device')}.`,
  }
}
