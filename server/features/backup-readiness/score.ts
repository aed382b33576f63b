import { type RiskFactor, readinessLimits } from '../../../shared/api/backup-readiness.ts'
import type { VerificationType } from '../../../shared/api/backup-verification.ts'
import { day } from '../../platform/clock.ts'

/** A check of a backup that is over. */
export interface Check {
  type: VerificationType
  status: 'passed' | 'failed' | 'partial'
  completedAt: string
  /** How long it takes to restore everything. */
  restoreTimeSeconds: number | null
}

export interface History {
  /** The newest ones, the newest first. */
  recent: readonly Check[]
  /** The newest one, even if so many other checks came later that it is not among them. */
  lastTestRestore: Check | null
}

export interface Readiness {
  score: number
  estimatedRtoMinutes: number | null
  risks: RiskFactor[]
}

/** So many checks of a device count. */
export const countedChecks = 12
export const testRestoreWithinMs = 30 * day

const weights: Record<VerificationType, number> = { integrity: 0.5, test_restore: 1 }
const earned: Record<Check['status'], number> = { passed: 1, partial: 0.5, failed: 0 }

/** A restore in this time is as good as one can be; an hour longer is as good as none. */
const fastRestoreSeconds = 180
const slowerBySeconds = 3600

/** 0 to 100, and what to do for more. Null without any check: then nothing is known. */
export function readinessOf({ recent, lastTestRestore }: History, now: number): Readiness | null {
  const [last] = recent
  if (!last) return null
  const ageOf = ({ completedAt }: Check) => now - Date.parse(completedAt)
  const isTested = lastTestRestore !== null && ageOf(lastTestRestore) <= testRestoreWithinMs
  // One that failed has stopped somewhere on the way.
  const hasTime = ({ type, status }: Check) => type === 'test_restore' && status !== 'failed'
  const restores = recent.filter(hasTime)
  if (restores.length === 0 && lastTestRestore && isTested && hasTime(lastTestRestore)) restores.push(lastTestRestore)
  const seconds = restores.flatMap(({ restoreTimeSeconds }) => restoreTimeSeconds ?? [])
  const average = seconds.length === 0 ? null : seconds.reduce((sum, one) => sum + one, 0) / seconds.length
  const estimatedRtoMinutes = average === null ? null : Math.ceil(average / 60)
  const failures = recent.filter(({ status }) => status === 'failed').length
  const score =
    Math.round(55 * passRate(recent) + 30 * restoreQuality(average) + 15 * recency(ageOf(last))) -
    6 * failures -
    (isTested ? 0 : 20)
  return {
    score: clamp(score, 0, 100),
    estimatedRtoMinutes,
    risks: risksOf({ failures, checks: recent.length, ageMs: ageOf(last), estimatedRtoMinutes, isTested }),
  }
}

function passRate(checks: readonly Check[]): number {
  const sum = (of: (check: Check) => number) => checks.reduce((total, check) => total + of(check), 0)
  return sum(({ type, status }) => weights[type] * earned[status]) / sum(({ type }) => weights[type])
}

const restoreQuality = (seconds: number | null): number =>
  seconds === null ? 0 : clamp(1 - (seconds - fastRestoreSeconds) / slowerBySeconds, 0, 1)

function recency(ageMs: number): number {
  if (ageMs <= 7 * day) return 1
  if (ageMs <= 14 * day) return 0.65
  return ageMs <= 30 * day ? 0.35 : 0.1
}

interface Found {
  failures: number
  checks: number
  ageMs: number
  estimatedRtoMinutes: number | null
  isTested: boolean
}

function risksOf({ failures, checks, ageMs, estimatedRtoMinutes, isTested }: Found): RiskFactor[] {
  const risks: RiskFactor[] = []
  if (failures > 0)
    risks.push({
      code: 'recent_verification_failure',
      severity: 'high',
      message: checks === 1 ? 'The last check failed.' : `${failures} of the last ${checks} checks failed.`,
    })
  if (ageMs > 14 * day)
    risks.push({
      code: 'stale_verification',
      severity: ageMs > 30 * day ? 'high' : 'medium',
      message: `The last check was ${Math.floor(ageMs / day)} days ago.`,
    })
  if (estimatedRtoMinutes !== null && estimatedRtoMinutes > 20)
    risks.push({
      code: 'rto_above_target',
      severity: estimatedRtoMinutes > 45 ? 'high' : 'medium',
      message: `A restore takes about ${estimatedRtoMinutes} minutes.`,
    })
  if (!isTested)
    risks.push({
      code: 'restore_test_missing',
      severity: 'medium',
      message: 'No test restore was made in the last 30 days.',
    })
  return risks
}

export const unknownRisks: RiskFactor[] = [
  { code: 'no_verification_history', severity: 'high', message: 'No backup of this device was ever checked.' },
]

export const isLow = (score: number): boolean => score < readinessLimits.low

const clamp = (value: number, least: number, most: number): number => Math.min(most, Math.max(least, value))
