import { useMutation } from '@tanstack/react-query'
import type { RestoreJob } from '../../../shared/api/backup-restores.ts'
import { cancelRestoreMutation } from '../../data/backup-restores.ts'
import { notifyDone, notifyPending } from '../../lib/notify.ts'
import { askToConfirm } from '../../ui/confirm.tsx'

/** Asks, cancels, and passes on that a device could not be told. */
export function useCancelRestore({ id, deviceName, status }: Pick<RestoreJob, 'id' | 'deviceName' | 'status'>) {
  const cancel = useMutation(cancelRestoreMutation)
  const ask = () =>
    askToConfirm({
      title: `Cancel the restore to ${deviceName}?`,
      consequences:
        status === 'running'
          ? 'The device stops. Files that are in their place already stay there.'
          : 'The device isn’t asked for it any more.',
      confirm: 'Cancel restore',
      cancel: 'Keep it',
      run: async () => {
        const { warning } = await cancel.mutateAsync(id)
        if (warning)
          notifyPending(
            'Canceled here, but the device has no connection and couldn’t be told. It may go on until it’s done.',
          )
        else notifyDone(`The restore to ${deviceName} was canceled`)
      },
      failed: 'The restore wasn’t canceled',
    })
  return { ask, isPending: cancel.isPending }
}
