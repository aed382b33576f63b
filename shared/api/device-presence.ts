import { z } from 'zod'
import { endpoint, userAccess } from '../endpoint.ts'
import { instant } from '../fields.ts'
import { uuidList } from '../paging.ts'
import { deviceStatus } from './devices.ts'

/** As many as a page of the console’s device list has. */
const maxDevices = 100

const presence = z.object({
  deviceId: z.uuid(),
  /** Each status from a time on, the first of them from `since` on if it was known by then. */
  changes: z.array(z.object({ at: instant, status: deviceStatus })),
})

export const devicePresence = endpoint({
  name: 'devices.presence',
  method: 'GET',
  path: '/devices/presence',
  summary: 'When up to 100 devices changed their status in the last 24 hours; those out of reach are left out',
  access: userAccess('devices:read', { byKey: true }),
  query: z.object({
    deviceIds: uuidList.refine((ids) => ids.length <= maxDevices, `List at most ${maxDevices} devices`),
  }),
  reply: z.object({ since: instant, until: instant, data: z.array(presence) }),
})
