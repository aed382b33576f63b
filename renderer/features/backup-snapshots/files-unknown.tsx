import { Button, Group } from '@mantine/core'
import { IconFileUnknown } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import {
  fileListingQuery,
  filesBecameKnown,
  isBeingListed,
  listFilesMutation,
} from '../../data/backup-file-listings.ts'
import { ApiError } from '../../lib/api-error.ts'
import { messageFor } from '../../lib/error-messages.ts'
import { EmptyList } from '../../ui/states.tsx'

export const areFilesUnknown = (error: unknown): boolean =>
  error instanceof ApiError && error.code === 'backup_files_unknown'

export const isPathUnknown = (error: unknown): boolean =>
  error instanceof ApiError && error.code === 'backup_path_not_found'

interface Props {
  snapshotId: string
  onRestore: (() => void) | undefined
}

/** In place of the files of a snapshot whose list of files is missing. The appliance can make it anew. */
export function FilesUnknown({ snapshotId, onRestore }: Props) {
  const listing = useQuery(fileListingQuery(snapshotId))
  const list = useMutation(listFilesMutation(snapshotId))
  const state = listing.data?.state
  useEffect(() => {
    if (state === 'known') void filesBecameKnown()
  }, [state])
  const isBusy = list.isPending || state === 'known' || (listing.data !== undefined && isBeingListed(listing.data))
  return (
    <EmptyList
      icon={<IconFileUnknown stroke={1.5} />}
      title={isBusy ? 'Reading the list of files' : 'The files can’t be shown'}
      action={
        <Group gap="sm" justify="center">
          {!isBusy && <Button onClick={() => list.mutate()}>List the files</Button>}
          {onRestore && (
            <Button variant="default" onClick={onRestore}>
              Restore everything…
            </Button>
          )}
        </Group>
      }
    >
      <span role="status">{textFor(isBusy, list.error ? messageFor(list.error) : (listing.data?.error ?? null))}</span>
    </EmptyList>
  )
}

function textFor(isBusy: boolean, problem: string | null): string {
  const whole = 'The snapshot can be restored as a whole in the meantime.'
  if (isBusy) return `The appliance reads it from the storage, which can take minutes. ${whole}`
  if (problem)
    return `The list couldn’t be read: ${problem.replace(/\.?$/, '.')} The snapshot can still be restored as a whole.`
  return 'The list of the files in this snapshot is missing. The appliance can read it from the storage again.'
}
