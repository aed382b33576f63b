import type { SlaConfig } from '../../../shared/api/backup-sla.ts'
import type { NewSla } from '../../data/backup-sla.ts'
import { inUnit, minutesIn, type TimeUnit } from '../../domain/backup-sla/sla-words.ts'

export interface TimeDraft {
  amount: number | string
  unit: TimeUnit
}

/** What the form of an SLA holds. */
export interface SlaDraft {
  name: string
  rpo: TimeDraft
  rto: TimeDraft
  /** Whether it is for named devices and groups, or for every protected device. */
  isForSome: boolean
  targetDevices: string[]
  targetGroups: string[]
  alertOnBreach: boolean
}

export const newSla: SlaDraft = {
  name: '',
  rpo: { amount: 26, unit: 'hours' },
  rto: { amount: 4, unit: 'hours' },
  isForSome: false,
  targetDevices: [],
  targetGroups: [],
  alertOnBreach: true,
}

export const slaDraftOf = (sla: SlaConfig): SlaDraft => ({
  name: sla.name,
  rpo: inUnit(sla.rpoTargetMinutes),
  rto: inUnit(sla.rtoTargetMinutes),
  isForSome: sla.targetDevices.length + sla.targetGroups.length > 0,
  // One that has left is not asked for again.
  targetDevices: sla.targetDeviceNames.map(({ id }) => id),
  targetGroups: sla.targetGroups,
  alertOnBreach: sla.alertOnBreach,
})

const mostMinutes = 5_256_000

const timeError = ({ amount, unit }: TimeDraft): string | undefined => {
  const number = Number(amount)
  if (amount === '' || !Number.isInteger(number) || number < 1) return 'Enter a whole number from 1'
  return minutesIn(number, unit) > mostMinutes ? 'Enter at most ten years' : undefined
}

export function slaErrors(draft: SlaDraft) {
  const found = {
    name: draft.name.trim() === '' ? 'Enter a name' : undefined,
    rpo: timeError(draft.rpo),
    rto: timeError(draft.rto),
    targets:
      draft.isForSome && draft.targetDevices.length + draft.targetGroups.length === 0
        ? 'Choose a device or a group'
        : undefined,
  }
  return { ...found, isRight: Object.values(found).every((problem) => problem === undefined) }
}

export const bodyOf = (draft: SlaDraft): NewSla => ({
  name: draft.name.trim(),
  rpoTargetMinutes: minutesIn(Number(draft.rpo.amount), draft.rpo.unit),
  rtoTargetMinutes: minutesIn(Number(draft.rto.amount), draft.rto.unit),
  targetDevices: draft.isForSome ? draft.targetDevices : [],
  targetGroups: draft.isForSome ? draft.targetGroups : [],
  alertOnBreach: draft.alertOnBreach,
})
