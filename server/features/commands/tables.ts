import type { Generated } from 'kysely'
import type { z } from 'zod'
import type { commandStatus, DeviceCommand } from '../../../shared/api/commands.ts'
import type { AgentRole } from '../../../shared/endpoint.ts'
import { type Flag, table } from '../../db/table.ts'
import type { JsonText } from '../../lib/json.ts'

export interface DeviceCommandTable {
  id: string
  device_id: string
  type: string
  payload: JsonText<Record<string, unknown>>
  status: z.infer<typeof commandStatus>
  target_role: Generated<AgentRole>
  created_by: string | null
  created_at: string
  executed_at: string | null
  completed_at: string | null
  expires_at: string | null
  timed_out_by_server: Generated<Flag>
  result: JsonText<NonNullable<DeviceCommand['result']>> | null
  /** JSON list: why a removal of the agent is queued. */
  reasons: Generated<string>
}

export interface DeviceCommandOutputTable {
  command_id: string
  device_id: string
  stdout: string | null
  stderr: string | null
}

export const commandsTables = {
  device_commands: table<DeviceCommandTable>({
    writtenBy: ['commands'],
    tenancy: { by: 'device', device: 'device_id' },
    merge: { policy: 'follows-parent', parent: 'devices' },
    erasure: { goWith: 'device', areLarge: true },
  }),
  device_command_outputs: table<DeviceCommandOutputTable>({
    writtenBy: ['commands'],
    tenancy: { by: 'device', device: 'device_id' },
    merge: { policy: 'follows-parent', parent: 'devices' },
    erasure: { goWith: 'device', areLarge: true },
  }),
}
