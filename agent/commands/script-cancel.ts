import { z } from 'zod'
import { command, completed, failed } from './command.ts'

export const scriptCancel = command({
  name: 'script_cancel',
  input: z.object({ commandId: z.string() }),
  isUrgent: true,
  async run({ commandId }, { cancel }) {
    return cancel(commandId) ? completed() : failed('no such script is running')
  },
})
