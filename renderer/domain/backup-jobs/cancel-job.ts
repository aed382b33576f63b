import { useMutation } from '@tanstack/react-query'
import type { BackupJob } from '../../../shared/api/backup-jobs.ts'
import { cancelJobMutation } from '../../data/backup-jobs.ts'
import { notifyDone, notifyPending } from '../../lib/notify.ts'
import { askToConfirm } from '../../ui/confirm.tsx'

/** Asks, cancels, and passes on that a device could not be told. */
export function useCancelJob({ id, deviceName, status }: Pick<BackupJob, 'id' | 'deviceName' | 'status'>) {
  const cancel = useMutation(cancelJobMutation)
  const ask = () =>
    askToConfirm({
      title: `Cancel the backup of ${deviceName}?`,
      consequences:
        status === 'running'
          ? 'The device stops. What it has sent stays in the storage, and the next backup doesn’t send it again. There is no new snapshot.'
          : 'The device isn’t asked for it any more.',
      confirm: 'Cancel backup',
      cancel: 'Keep it',
      run: async () => {
        const { warning } = await cancel.mutateAsync(id)
        if (warning)
          notifyPending(
            'Canceled here, but the device has no connection and couldn’t be told. It may go on until it’s done.',
          )
        else notifyDone(`The backup of ${deviceName} was canceled`)
      },
      failed: 'The backup wasn’t canceled',
    })
  return { ask, isPending: cancel.isPending }
}
