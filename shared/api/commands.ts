import { z } from 'zod'
import { endpoint, userAccess } from '../endpoint.ts'
import { instant, jsonObject, pathId, small } from '../fields.ts'
import { paged, pageQuery, queryFlag } from '../paging.ts'
import { severalDevices, withRefused } from './several-devices.ts'

export const commandStatus = z.enum(['pending', 'sent', 'completed', 'failed', 'cancelled'])

export const commandResult = z.object({
  status: z.string(),
  exitCode: z.int().nullable().optional(),
  stdout: z.string().nullable().optional(),
  stderr: z.string().nullable().optional(),
  error: z.string().nullable().optional(),
  durationMs: z.int().nullable().optional(),
  reason: z.string().nullable().optional(),
  data: z.unknown().optional(),
})

export const deviceCommand = z.object({
  id: z.uuid(),
  deviceId: z.uuid(),
  type: z.string(),
  payload: jsonObject,
  status: commandStatus,
  createdBy: z.uuid().nullable(),
  createdByName: z.string().nullable(),
  createdAt: instant,
  executedAt: instant.nullable(),
  completedAt: instant.nullable(),
  expiresAt: instant.nullable(),
  result: commandResult.nullable(),
})
export type DeviceCommand = z.infer<typeof deviceCommand>

const params = z.object({ id: pathId })
const commandParams = z.object({ id: pathId, commandId: pathId })
/** What runs on a device is guarded like the writes that the specification marks: by a factor shown in this session. */
const execute = userAccess('devices:execute', { mfa: 'strict' })
const executeScript = userAccess('scripts:execute', { mfa: 'strict' })

/** Types a user may queue; `script` has an endpoint of its own because it has a permission of its own. */
export const queueableCommand = z.enum(['reboot', 'shutdown', 'refresh_inventory', 'script'])

const commandBody = z.object({ type: queueableCommand, payload: small(jsonObject).optional() })

export const queueCommand = endpoint({
  name: 'commands.queue',
  method: 'POST',
  path: '/devices/:id/commands',
  summary: 'Queue a command; a connected device gets it immediately, another within its expiry',
  access: execute,
  params,
  body: commandBody,
  status: 201,
  reply: deviceCommand,
  audit: 'agent.command',
})

export const scriptLanguage = z.enum(['bash', 'powershell'])

/** How long a script may wait for its device, and then for its result, before the appliance gives up on it. */
export const scriptPatienceSeconds = (timeoutSeconds: number): number => timeoutSeconds + 300

const scriptBody = z.object({
  language: scriptLanguage,
  content: z.string().min(1).max(256_000),
  timeoutSeconds: z.int().min(1).max(86_400).optional(),
})

export const runScript = endpoint({
  name: 'scripts.run',
  method: 'POST',
  path: '/devices/:id/scripts',
  summary: 'Run a script on the device; output arrives while it runs',
  access: executeScript,
  params,
  body: scriptBody,
  status: 201,
  reply: deviceCommand,
  audit: 'agent.command.script',
})

/** Of one of several commands: without its payload, which is the same for all of them and may be large. */
const queuedCommand = deviceCommand.pick({ id: true, deviceId: true, type: true, status: true, createdAt: true })
const queuedCommands = z.object({ commands: z.array(queuedCommand), ...withRefused })

export const queueCommands = endpoint({
  name: 'commands.queue-several',
  method: 'POST',
  path: '/devices/bulk/commands',
  summary: 'Queue a command on several devices; says of each device for which there is none why',
  access: execute,
  body: commandBody.extend(severalDevices),
  status: 201,
  reply: queuedCommands,
  audit: 'agent.command',
})

export const runScripts = endpoint({
  name: 'scripts.run-several',
  method: 'POST',
  path: '/devices/bulk/scripts',
  summary: 'Run a script on several devices; says of each device on which it does not run why',
  access: executeScript,
  body: scriptBody.extend(severalDevices),
  status: 201,
  reply: queuedCommands,
  audit: 'agent.command.script',
})

export const listCommands = endpoint({
  name: 'commands.list',
  method: 'GET',
  path: '/devices/:id/commands',
  summary: "A device's commands, newest first; with `open`, only those that have not ended",
  access: userAccess('devices:read', { byKey: true }),
  params,
  query: z.object({ ...pageQuery, open: queryFlag.optional() }),
  reply: paged(deviceCommand),
})

export const readCommand = endpoint({
  name: 'commands.read',
  method: 'GET',
  path: '/devices/:id/commands/:commandId',
  summary: 'One command; while it runs, with the output so far',
  access: userAccess('devices:read', { byKey: true }),
  params: commandParams,
  reply: z.object({
    data: deviceCommand.extend({
      output: z.array(z.object({ sequence: z.int(), stream: z.enum(['stdout', 'stderr']), text: z.string() })),
    }),
  }),
})

export const cancelCommand = endpoint({
  name: 'commands.cancel',
  method: 'POST',
  path: '/devices/:id/commands/:commandId/cancel',
  summary: 'Cancel a command that has not finished; a running script is told to stop',
  access: execute,
  params: commandParams,
  reply: z.object({ data: deviceCommand }),
  audit: 'agent.command.cancel',
})
