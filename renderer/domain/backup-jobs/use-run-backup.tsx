import { useMutation } from '@tanstack/react-query'
import { RouterContextProvider, useRouter } from '@tanstack/react-router'
import { runBackupMutation } from '../../data/backup-jobs.ts'
import { notifyDone, notifyFailed } from '../../lib/notify.ts'
import { TextLink } from '../../ui/links.tsx'

interface Options {
  /** Opens the page of the new backup, for pages that show another one. */
  isOpened?: boolean
}

/** Backs a device up now, and says what came of the wish. */
export function useRunBackup({ id, name }: { id: string; name: string }, { isOpened }: Options = {}) {
  const router = useRouter()
  const { mutate, isPending } = useMutation({
    ...runBackupMutation,
    onSuccess: async (job) => {
      if (isOpened) {
        notifyDone(`Backup of ${name} requested`)
        await router.navigate({ to: '/backup/jobs/$jobId', params: { jobId: job.id } })
        return runBackupMutation.onSuccess()
      }
      notifyDone(
        // Notices lie outside the router, which their links need.
        <RouterContextProvider router={router}>
          {`Backup of ${name} requested · `}
          <TextLink to="/backup/jobs/$jobId" params={{ jobId: job.id }} inherit underline="always">
            Show backup
          </TextLink>
        </RouterContextProvider>,
      )
      await runBackupMutation.onSuccess()
    },
    onError: notifyFailed(`${name} isn’t backed up`),
  })
  return { run: () => mutate(id), isPending }
}
