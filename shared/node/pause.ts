import { setTimeout } from 'node:timers/promises'

/** Waits; returns early, without throwing, when the signal says stop. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await setTimeout(ms, undefined, { signal })
  } catch (error) {
    if (!signal.aborted) throw error
  }
}
