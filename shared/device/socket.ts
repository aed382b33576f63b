import { z } from 'zod'
import { resultData } from './commands.ts'
import { commandDirective } from './heartbeat.ts'

/** `GET /agent-ws/:agentId/ws`, upgraded; `Authorization: Bearer` in the handshake. */
export const socketPath = (agentId: string) => `/api/v1/agent-ws/${agentId}/ws`

/** Agents send a little less in one; what is larger closes the socket. */
export const largestFrameBytes = 5_000_000

export const closeCode = {
  tooManyFrames: 1008,
  unauthorized: 4001,
  superseded: 4002,
  pongTimeout: 4008,
  moved: 4040,
  decommissioned: 4041,
} as const

export const serverFrame = z.union([
  z.object({
    type: z.literal('connected'),
    agentId: z.string(),
    timestamp: z.number(),
    /** `command_output` is ours: the server takes a script's output while it runs. */
    capabilities: z.array(z.string()),
  }),
  z.object({ type: z.literal('ping') }),
  z.object({ type: z.literal('ack'), commandId: z.string() }),
  z.object({ type: z.literal('error'), code: z.string(), message: z.string(), messageType: z.string().optional() }),
  commandDirective,
])
export type ServerFrame = z.infer<typeof serverFrame>

const resultFrame = z.object({
  type: z.literal('command_result'),
  commandId: z.string().max(200),
  status: z.enum(['completed', 'failed', 'timeout', 'duplicate']),
  exitCode: z.int().nullish(),
  stdout: z.string().max(5_000_000).nullish(),
  stderr: z.string().max(5_000_000).nullish(),
  error: z.string().max(10_000).nullish(),
  /** Ours, as in a result by HTTP. */
  durationMs: z.number().nonnegative().nullish(),
  startedAt: z.string().max(64).nullish(),
  result: resultData,
})

/** Ours: a piece of a running script's output; `sequence` counts from 0 across both streams. */
const outputFrame = z.object({
  type: z.literal('command_output'),
  commandId: z.uuid(),
  sequence: z.int().nonnegative(),
  stream: z.enum(['stdout', 'stderr']),
  text: z.string().max(64 * 1024),
})

export const agentFrame = z.discriminatedUnion('type', [
  resultFrame,
  outputFrame,
  z.object({ type: z.literal('pong'), timestamp: z.number().optional() }),
  z.object({ type: z.literal('update_status'), targetVersion: z.string().max(50).optional() }),
  z.object({ type: z.literal('backup_progress'), commandId: z.string().max(200), progress: z.unknown() }),
  z.object({ type: z.literal('patch_progress') }),
  z.object({ type: z.literal('verification_progress') }),
  z.object({ type: z.literal('terminal_output') }),
])
export type AgentFrame = z.infer<typeof agentFrame>
