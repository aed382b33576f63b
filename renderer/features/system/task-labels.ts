import type { TaskPart, TaskView } from '../../../shared/api/system.ts'
import { count, plural } from '../../lib/format.ts'
import type { Tone } from '../../ui/status-dot.tsx'

export const partWords: Record<TaskPart, string> = { open: 'Open', failed: 'Failed', ended: 'Done' }

export const stateWords: Record<TaskView['state'], { word: string; tone: Tone }> = {
  waiting: { word: 'Waiting', tone: 'idle' },
  active: { word: 'Running', tone: 'busy' },
  completed: { word: 'Done', tone: 'good' },
  failed: { word: 'Failed', tone: 'bad' },
  cancelled: { word: 'Canceled', tone: 'idle' },
  expired: { word: 'Expired', tone: 'idle' },
}

/** How far it is, in whatever it counts. */
export function progressWords({ progress }: Pick<TaskView, 'progress'>): string | null {
  if (!progress || progress.total === 0) return null
  return progress.total === null ? count(progress.done) : `${count(progress.done)} of ${count(progress.total)}`
}

/** How often it was tried, where that says something. */
export function attemptWords({ state, attempts }: Pick<TaskView, 'state' | 'attempts'>): string | null {
  if (state === 'failed') return `Gave up after ${plural(attempts, 'attempt')}`
  if (state === 'waiting' && attempts > 0) return plural(attempts, 'attempt')
  return state === 'active' && attempts > 1 ? `Attempt ${count(attempts)}` : null
}

/** Why the last attempt failed, where it did not end well after all. */
export function errorWords({ state, error }: Pick<TaskView, 'state' | 'error'>): string | null {
  if (state === 'completed') return null
  return error === 'internal_error' ? 'Internal error. See Homeport’s log for details.' : error
}
