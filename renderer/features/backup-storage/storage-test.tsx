import { Button, Group, Loader, Stack, Text } from '@mantine/core'
import { modals } from '@mantine/modals'
import { useMutation } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { BackupConfig } from '../../../shared/api/backup-configs.ts'
import { type StorageTest, testStorage } from '../../data/backup-storages.ts'

import { bytes } from '../../lib/format.ts'
import { notifyDone, notifyFailed } from '../../lib/notify.ts'
import { UserFacingError } from '../../lib/user-facing-error.ts'
import { DialogFooter } from '../../ui/dialog-footer.tsx'
import { FormError } from '../../ui/form-error.tsx'
import { Notice } from '../../ui/notice.tsx'

type Tested = Pick<BackupConfig, 'id' | 'name'>

export const openStorageTest = (storage: Tested) =>
  modals.open({ title: `Test ${storage.name}`, children: <TestDialog {...storage} /> })

/** After it was saved: says whether the storage can be used, as far as the appliance can find out. */
export async function testSaved({ id, name }: Tested): Promise<void> {
  const { status, error } = await testStorage.mutationFn(id)
  if (status === 'success') notifyDone(`${name} works`)
  else if (status === 'failed') notifyFailed(`${name} can’t be used yet`)(new UserFacingError(error ?? ''))
}

function TestDialog({ id, name }: Tested) {
  const { mutate, data, error, isPending } = useMutation(testStorage)
  useEffect(() => mutate(id), [mutate, id])
  return (
    <Stack gap="sm">
      <div aria-live="polite">
        {isPending && (
          <Group gap="sm">
            <Loader size="xs" />
            <Text size="sm">Writing, reading and deleting a small file. This takes up to 30 seconds.</Text>
          </Group>
        )}
        {data && <Outcome name={name} test={data} />}
      </div>
      <FormError error={error} title="The storage wasn’t tested" />
      <DialogFooter>
        <Button variant="default" disabled={isPending} onClick={() => mutate(id)}>
          Test again
        </Button>
        <Button data-autofocus onClick={() => modals.closeAll()}>
          Done
        </Button>
      </DialogFooter>
    </Stack>
  )
}

function Outcome({
  name,
  test: { status, error, freeBytes, providerCapabilities },
}: {
  name: string
  test: StorageTest
}) {
  switch (status) {
    case 'success':
      return (
        <Notice tone="good" title={`${name} works`}>
          {freeBytes === undefined ? 'Backups can go there.' : `Backups can go there. ${bytes(freeBytes)} are free.`}
          {providerCapabilities && ` ${lockWords(providerCapabilities.objectLock)}`}
        </Notice>
      )
    case 'failed':
      return (
        <Notice tone="bad" title={`${name} can’t be used`}>
          {error}
        </Notice>
      )
    case 'unsupported':
      return (
        <Notice tone="warn" title="The appliance can’t find out">
          {error}
        </Notice>
      )
  }
}

/** Whether the bucket can keep snapshots itself. */
function lockWords({ supported, error }: { supported: boolean; error: string | null }): string {
  if (supported) return 'The bucket has object lock, so it can lock snapshots itself.'
  return error === null
    ? 'The bucket has no object lock, so it can’t lock snapshots itself.'
    : 'Whether the bucket has object lock isn’t known: the access key may not ask (s3:GetBucketObjectLockConfiguration).'
}
