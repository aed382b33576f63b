import {
  insufficientSpace,
  type OpenCheck,
  type Verification,
  type VerificationStatus,
  type VerificationType,
} from '../../../shared/api/backup-verification.ts'
import { bytes, count, minuteOf, plural, timeSpan } from '../../lib/format.ts'
import type { Tone } from '../../ui/status-dot.tsx'

export const checkNames: Record<VerificationType, string> = {
  integrity: 'Data check',
  test_restore: 'Test restore',
}

export const checkStatusNames: Record<VerificationStatus, string> = {
  pending: 'Waiting',
  running: 'Running',
  passed: 'Passed',
  failed: 'Failed',
  partial: 'Incomplete',
}

export const checkTones: Record<VerificationStatus, Tone> = {
  pending: 'idle',
  running: 'busy',
  passed: 'good',
  failed: 'bad',
  partial: 'warn',
}

const whoWords = { device: 'the device', appliance: 'the appliance' } as const

/** What came of a check, in a sentence or two. */
export function resultWords(check: Verification): string {
  const { status, verificationType, details } = check
  if (status === 'pending') return 'Waiting to begin.'
  if (status === 'running')
    return verificationType === 'integrity'
      ? `Being read by ${whoWords[details?.ranOn ?? 'device']}.`
      : 'Being restored to the device and compared.'
  if (status === 'passed') {
    const words = verificationType === 'integrity' ? readWords(check) : restoredWords(check)
    return [words, warningWords(check)].filter(Boolean).join(' ')
  }
  return [reasonWords(details?.reason), affectedWords(check), warningWords(check)].filter(Boolean).join(' ')
}

/** Reasons that are no sentences. */
const reasons: Record<string, string> = {
  [insufficientSpace]: 'There isn’t enough free space on the device for a test restore.',
}

const reasonWords = (reason = 'It is not known why'): string => reasons[reason] ?? ended(reason)

/** What a check didn’t look at, or found without calling it damage. */
function warningWords({ details }: Verification): string {
  const said = details?.warnings?.filter((one) => one !== 'empty_snapshot') ?? []
  return said.map(ended).join(' ')
}

/** Why no check is begun: this one has to end first. */
export function underWayWords({ source, subset, startedAt }: OpenCheck, now: number): string {
  const what = source === 'manual' ? 'Such a check' : 'An automatic check of this kind'
  const reads = subset === undefined ? '' : ` (${subsetWords(subset).replace(/,$/, '')})`
  return `${what}${reads} has been under way since ${minuteOf(startedAt, now)}. Start yours when it has ended.`
}

const ended = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`)

function readWords({ filesVerified, details }: Verification): string {
  const subset = details?.subset
  if (subset === undefined)
    return filesVerified === 0
      ? 'All data read without an error. The backup has no files.'
      : `All data of ${plural(filesVerified, 'file')} read without an error.`
  return `${subsetWords(subset)} read without an error. ${restWords[details?.ranOn ?? 'device']}`
}

/** Of the data that a check has not read. */
const restWords = {
  appliance: 'The rest is read at night, a part at a time.',
  device: 'A check that you start reads all of it.',
} as const

/** `256M` is an amount, `3/28` one of so many parts. */
export function subsetWords(subset: string): string {
  const [, part, parts] = /^(\d+)\/(\d+)$/.exec(subset) ?? []
  if (part && parts) return `Part ${part} of ${parts} of the data`
  return `${subset.replace(/M$/, ' MB')} of the data, chosen at random,`
}

function restoredWords({ filesVerified, restoreTimeSeconds, sizeBytes, details }: Verification): string {
  if (details?.warnings?.includes('empty_snapshot')) return 'Restored as it was. The backup has no files.'
  const took = restoreTimeSeconds === null ? '' : ` in ${timeSpan(Math.max(1, Math.round(restoreTimeSeconds)))}`
  const what = `${plural(filesVerified, 'file')} (${bytes(sizeBytes)})`
  const ofAll = details?.sampled ? ` of ${bytes(details.totalBytes)}` : ''
  const checksums = details?.checksumsCompared ?? 0
  const how =
    checksums > 0
      ? `The content of ${checksums === filesVerified ? 'each' : count(checksums)} is what it was on the device.`
      : 'Names, sizes and the checksums of the storage match.'
  return `${what}${ofAll} restored${took}. ${how}`
}

function affectedWords({ filesFailed, filesVerified, details }: Verification): string {
  const others = details?.otherSnapshots?.length ?? 0
  return [
    filesFailed > 0 && `${count(filesFailed)} of ${plural(filesVerified + filesFailed, 'file')} affected.`,
    others > 0 && `${plural(others, 'other snapshot')} affected, too.`,
    details?.cleanedUp === false && 'Restored files could not be removed from the device yet.',
  ]
    .filter(Boolean)
    .join(' ')
}
