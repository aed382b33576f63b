import { z } from 'zod'
import type { ResticListeners } from '../../shared/node/restic-run.ts'

const complaint = z.object({
  message_type: z.literal('error'),
  error: z.object({ message: z.string() }),
  item: z.string(),
})

/** What restic says of data that the storage does not return as it was. */
const damage =
  /ciphertext verification failed|<(data|index)\/\w+> (does not exist|returned error)|invalid data returned|hash mismatch|not found in (repository|index)/i

const inWords = (error: string): string =>
  damage.test(error) ? 'its data in the storage is damaged or missing' : error

/**
 * Takes what restic says of files that it could not restore, by the path in the snapshot.
 * @param target where everything is restored to
 */
export function restoreComplaints(
  target: string,
  take: (path: string, error: string) => void,
): Required<Pick<ResticListeners, 'onJson' | 'onComplaint'>> {
  const say = (path: string, error: string) =>
    take(path.startsWith(target) ? path.slice(target.length) : path, inWords(error))
  return {
    onJson: (value) => {
      const problem = complaint.safeParse(value).data
      if (problem) say(problem.item, problem.error.message)
    },
    onComplaint: (line) => {
      const [, path, error] = /^ignoring error for (.*?): (.*)$/.exec(line) ?? []
      if (path !== undefined && error !== undefined) say(path, error)
    },
  }
}
