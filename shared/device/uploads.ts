import { z } from 'zod'
import { agentAccess, endpoint } from '../endpoint.ts'
import { agentParams } from './heartbeat.ts'
import { adapter, connection, diskVolume, hardware, installedSoftware, lenient, vpn } from './inventory.ts'

/** Inventory uploads: each replaces what was known. */

const access = agentAccess()
const bodyLimit = 5 * 1024 * 1024
const counted = z.object({ success: z.literal(true), count: z.int() })

/** Rows a producer got wrong are left out, the others kept. */
const rows = <Row extends z.ZodType>(row: Row, max: number) =>
  z
    .array(z.unknown())
    .max(max)
    .nullable()
    .transform((items) =>
      (items ?? []).flatMap((item) => {
        const parsed = row.safeParse(item)
        return parsed.success ? [parsed.data as z.output<Row>] : []
      }),
    )

export const uploadHardware = endpoint({
  name: 'agents.upload-hardware',
  method: 'PUT',
  path: '/agents/:agentId/hardware',
  summary: 'Hardware facts',
  access,
  params: agentParams,
  body: lenient(hardware),
  reply: z.object({ success: z.literal(true) }),
  bodyLimit,
})

export const uploadSoftware = endpoint({
  name: 'agents.upload-software',
  method: 'PUT',
  path: '/agents/:agentId/software',
  summary: 'Installed software, the whole list',
  access,
  params: agentParams,
  body: z.object({ software: rows(lenient(installedSoftware), 10_000) }),
  reply: counted,
  bodyLimit,
})

export const uploadDisks = endpoint({
  name: 'agents.upload-disks',
  method: 'PUT',
  path: '/agents/:agentId/disks',
  summary: 'Disk volumes, the whole list',
  access,
  params: agentParams,
  body: z.object({ disks: rows(lenient(diskVolume), 100) }),
  reply: counted,
  bodyLimit,
})

export const uploadNetwork = endpoint({
  name: 'agents.upload-network',
  method: 'PUT',
  path: '/agents/:agentId/network',
  summary: 'Network adapters; VPNs absent means unknown, an empty list means none',
  access,
  params: agentParams,
  body: z.object({ adapters: rows(lenient(adapter), 500), vpns: rows(lenient(vpn), 100).optional() }),
  reply: z.object({ success: z.literal(true), count: z.int(), vpnCount: z.int(), droppedVpnCount: z.int() }),
  bodyLimit,
})

export const uploadConnections = endpoint({
  name: 'agents.upload-connections',
  method: 'PUT',
  path: '/agents/:agentId/connections',
  summary: 'Open network connections, the whole list',
  access,
  params: agentParams,
  body: z.object({ connections: rows(lenient(connection), 10_000) }),
  reply: counted,
  bodyLimit,
})

/** Uploads the appliance has no use for yet: authenticated, read, answered, dropped. */
export const discardedUploads: Record<
  string,
  { method: 'PUT' | 'POST'; status: 200 | 201; reply: Record<string, unknown> }
> = {
  changes: { method: 'PUT', status: 200, reply: { success: true, count: 0 } },
  'registry-state': { method: 'PUT', status: 200, reply: { success: true, count: 0 } },
  'config-state': { method: 'PUT', status: 200, reply: { success: true, count: 0 } },
  'patches/pending': { method: 'PUT', status: 200, reply: { success: true, pending: 0, rejected: 0 } },
  'patches/installed': { method: 'PUT', status: 200, reply: { success: true, installed: 0, ignored: 0, rejected: 0 } },
  sessions: { method: 'PUT', status: 200, reply: { success: true, activeSessions: 0, events: 0 } },
  eventlogs: { method: 'PUT', status: 200, reply: { success: true, count: 0, filtered: 0 } },
  'security/status': { method: 'PUT', status: 200, reply: { success: true } },
  'management/posture': { method: 'PUT', status: 200, reply: { success: true } },
  'warranty-info': { method: 'PUT', status: 200, reply: { success: true } },
  'monitoring-results': { method: 'PUT', status: 200, reply: { accepted: 0 } },
  'peripherals/events': { method: 'PUT', status: 200, reply: { success: true } },
  reliability: { method: 'POST', status: 200, reply: { success: true, status: 'received' } },
  'boot-performance': { method: 'POST', status: 201, reply: { success: true } },
  'process-sample': { method: 'POST', status: 201, reply: { success: true } },
}
