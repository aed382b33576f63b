import { toError } from '../shared/thrown.ts'

/** Exit codes of `enroll`, those of the public agent. */
export const exitCode = {
  network: 10,
  refused: 11,
  notFound: 12,
  rateLimited: 13,
  serverError: 14,
  badConfig: 15,
  unexpected: 16,
  oldDeviceInTheWay: 17,
} as const
export type ExitCode = (typeof exitCode)[keyof typeof exitCode]

/** A failure the person at the terminal can act on; its message is one sentence that says how. */
export class AgentFailure extends Error {
  readonly exitCode: ExitCode

  constructor(exitCode: ExitCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.exitCode = exitCode
  }
}

/** The innermost readable reason of an error: network errors of Node carry it as a code, or in an aggregate. */
export function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0])
  return toError(error).message
}
