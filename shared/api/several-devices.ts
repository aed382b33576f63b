import { z } from 'zod'
import { uuid } from '../fields.ts'

/** What the calls on several devices have in common. */

export const maxSeveralDevices = 500

const isEachOnce = (ids: readonly string[]) => new Set(ids).size === ids.length

export const severalDevices = {
  deviceIds: z.array(uuid).min(1).max(maxSeveralDevices).refine(isEachOnce, 'List each device only once'),
}

/** Why nothing was done with one of them: the refusal that a call on this device alone would have got. */
export const refusedDevice = z.object({ deviceId: z.uuid(), code: z.string(), message: z.string() })
export type RefusedDevice = z.infer<typeof refusedDevice>

export const withRefused = {
  failed: z.array(refusedDevice),
  /** There was nothing to do. */
  skipped: z.array(refusedDevice),
}
