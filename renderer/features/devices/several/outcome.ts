import type { ListedDevice } from '../../../../shared/api/devices.ts'
import type { RefusedDevice } from '../../../../shared/api/several-devices.ts'
import { deviceName } from '../../../domain/devices/device-labels.ts'
import { plural } from '../../../lib/format.ts'

/** What came of something done with several devices. */
export interface Outcome {
  title: string
  /** How many it was done with, as a sentence. */
  text: string
  failed: readonly RefusedDevice[]
  /** There was nothing to do. */
  skipped: readonly RefusedDevice[]
  /** Whose output can be read. */
  scripts?: readonly { id: string; deviceId: string }[]
}

/** What came of it where `amount` of them were done with. */
export function outcomeOf(amount: number, title: string, text: string, refused: Pick<Outcome, 'failed' | 'skipped'>) {
  return amount > 0
    ? { title, text, ...refused }
    : { title: 'Nothing was done', text: 'Nothing was done on any of the devices.', ...refused }
}

export interface SeveralFormProps {
  devices: readonly ListedDevice[]
  onDone: (outcome: Outcome) => void
  onCancel: () => void
}

export const idsOf = (devices: readonly ListedDevice[]): string[] => devices.map(({ id }) => id)

/** A single device by its name, several by their number. */
export const devicesText = (devices: readonly ListedDevice[]): string =>
  devices.length === 1 && devices[0] ? deviceName(devices[0]) : plural(devices.length, 'device')

/** `3 devices aren’t`, `1 device isn’t`. */
export const devicesAreNot = (amount: number): string =>
  `${plural(amount, 'device')} ${amount === 1 ? 'isn’t' : 'aren’t'}`

/** `3 devices are`, `1 device is`. */
export const devicesAre = (amount: number): string => `${plural(amount, 'device')} ${amount === 1 ? 'is' : 'are'}`
