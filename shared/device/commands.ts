import { z } from 'zod'
import { agentAccess, endpoint } from '../endpoint.ts'
import { ok } from '../fields.ts'
import { agentParams, commandDirective } from './heartbeat.ts'

const fiveMillion = 5_000_000
/** Beside its output a result may bring data of its own; all else in it is a handful of values. */
export const maxResultValues = 20_000

/** Of all names and texts in a value: as good a measure of its JSON as is needed, without making that. */
const charactersIn = (value: unknown): number => {
  if (typeof value === 'string') return value.length
  if (typeof value !== 'object' || value === null) return 1
  return Object.entries(value).reduce((sum, [key, inner]) => sum + key.length + charactersIn(inner), 0)
}

export const resultData = z
  .unknown()
  .refine((value) => charactersIn(value) <= fiveMillion, `Must not be larger than ${fiveMillion} characters`)
  .optional()

export const reportedResult = z.object({
  status: z.enum(['completed', 'failed', 'timeout']),
  exitCode: z.int().nullish(),
  stdout: z.string().max(fiveMillion).nullish(),
  stderr: z.string().max(fiveMillion).nullish(),
  error: z.string().max(10_000).nullish(),
  durationMs: z.number().nonnegative().nullish(),
  startedAt: z.string().max(64).nullish(),
  result: resultData,
})
export type ReportedResult = z.infer<typeof reportedResult>

export const pollCommands = endpoint({
  name: 'agents.commands',
  method: 'GET',
  path: '/agents/:agentId/commands',
  summary: 'Claim queued commands without a heartbeat',
  access: agentAccess({ roles: ['agent', 'watchdog'], whileDraining: true }),
  params: agentParams,
  reply: z.object({ commands: z.array(commandDirective) }),
})

export const submitResult = endpoint({
  name: 'agents.command-result',
  method: 'POST',
  path: '/agents/:agentId/commands/:commandId/result',
  summary: 'What became of a command; the first result wins, a second is accepted and ignored',
  access: agentAccess({ roles: ['agent', 'watchdog'], whileDraining: true }),
  params: agentParams.extend({ commandId: z.string().max(200) }),
  body: reportedResult,
  reply: ok,
  audit: 'agent.command.result.submit',
  bodyLimit: 16 * 1024 * 1024,
  valueLimit: maxResultValues,
})

/** Payload of `script`. The public agent knows further keys; these are the ones the console sets. */
export const scriptPayload = z.object({
  language: z.enum(['bash', 'powershell']),
  content: z.string(),
  timeoutSeconds: z.int().min(1).max(86_400),
})
export type ScriptPayload = z.infer<typeof scriptPayload>
