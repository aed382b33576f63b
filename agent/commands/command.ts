import type { z } from 'zod'
import type { CommandResult } from '../journal.ts'

/** What a running command may use. */
export interface CommandContext {
  id: string
  /** Aborted when the command is canceled or the agent stops. */
  signal: AbortSignal
  /** Passes on a piece of output while the command runs. */
  output(stream: 'stdout' | 'stderr', text: string): void
  /** Tells the server how far it is; lost when there is no connection. */
  progress(progress: unknown): void
  /** Stops another command, waiting or running. @returns false when there is none with that id */
  cancel(commandId: string): boolean
}

export interface Command {
  name: string
  /** Runs immediately, past the queue: it is about commands in the queue. */
  isUrgent?: boolean
  /** Its payload holds secrets: it is not written to the disk, so the command does not outlast the agent. */
  isSecret?: boolean
  /** Ends the agent on purpose, so being interrupted means it worked. */
  endsAgent?: boolean
  /** @throws ZodError when the payload is not what the command takes */
  execute(payload: unknown, context: CommandContext): Promise<CommandResult>
  /** Called after the result went to the server, or could not for half a minute. */
  afterwards?(payload: unknown): Promise<void>
}

export function command<Input extends z.ZodType>(definition: {
  name: string
  input: Input
  run(input: z.output<Input>, context: CommandContext): Promise<CommandResult>
  isUrgent?: boolean
  isSecret?: boolean
  endsAgent?: boolean
  afterwards?(input: z.output<Input>): Promise<void>
}): Command {
  const { input, run, afterwards, ...rest } = definition
  return {
    ...rest,
    execute: async (payload, context) => run(input.parse(payload), context),
    ...(afterwards && { afterwards: async (payload: unknown) => afterwards(input.parse(payload)) }),
  }
}

export const completed = (stdout = ''): CommandResult => ({ status: 'completed', exitCode: 0, stdout })
export const failed = (error: string): CommandResult => ({
  status: 'failed',
  exitCode: 1,
  error: error.slice(0, 10_000),
})
