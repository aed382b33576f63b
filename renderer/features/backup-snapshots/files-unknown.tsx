import { Button } from '@mantine/core'
import { IconFileUnknown } from '@tabler/icons-react'
import { ApiError } from '../../lib/api-error.ts'
import { EmptyList } from '../../ui/states.tsx'

export const areFilesUnknown = (error: unknown): boolean =>
  error instanceof ApiError && error.code === 'backup_files_unknown'

export const isPathUnknown = (error: unknown): boolean =>
  error instanceof ApiError && error.code === 'backup_path_not_found'

/** In place of the files of a snapshot whose list of files is missing. */
export function FilesUnknown({ onRestore }: { onRestore: (() => void) | undefined }) {
  return (
    <EmptyList
      icon={<IconFileUnknown stroke={1.5} />}
      title="The files can’t be shown"
      action={
        onRestore && (
          <Button variant="default" onClick={onRestore}>
            Restore everything…
          </Button>
        )
      }
    >
      The list of the files in this snapshot is missing. The snapshot can still be restored as a whole.
    </EmptyList>
  )
}
