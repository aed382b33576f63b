import { z } from 'zod'
import { command, completed } from './command.ts'

/** Answers first and uninstalls afterwards, as there is no agent left then to send the result. */
export const selfUninstall = (remove: (options: { removeConfig: boolean }) => Promise<void>) =>
  command({
    name: 'self_uninstall',
    input: z.object({ removeConfig: z.boolean().default(true) }),
    async run() {
      return completed(JSON.stringify({ message: 'the agent removes itself' }))
    },
    afterwards: remove,
  })
