import { TaskFailure, workHere } from '../../server/platform/tasks/index.ts'

/** The module of a kind of task that computes, for tests. */

await workHere<{ do: string }, { percent: number }>((input, progress) => {
  switch (input.do) {
    case 'count': {
      let sum = 0
      for (let n = 0; n < 1e8; n++) sum += n
      progress({ percent: 100 })
      return sum
    }
    case 'refuse':
      throw new TaskFailure('There is nothing to add up', { isFinal: true })
    case 'spin':
      progress({ percent: 1 })
      for (;;);
    default:
      throw new Error('token=open-sesame')
  }
})
