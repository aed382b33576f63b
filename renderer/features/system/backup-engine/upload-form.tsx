import { Anchor, Button, Code, FileButton, Group, List, Stack, Text } from '@mantine/core'
import { IconFileZip, IconX } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { type ComponentState, componentChanged, uploadRelease } from '../../../data/components.ts'
import { bytes, plural } from '../../../lib/format.ts'
import { notifyDone } from '../../../lib/notify.ts'
import { DialogFooter } from '../../../ui/dialog-footer.tsx'
import { DropZone } from '../../../ui/drop-zone.tsx'
import { FormError } from '../../../ui/form-error.tsx'
import classes from './upload-form.module.css'

interface Props {
  engine: ComponentState
  onDone: () => void
}

/** For a network without internet: the files of a release, downloaded elsewhere. */
export function UploadForm({ engine, onDone }: Props) {
  const [files, setFiles] = useState<File[]>([])
  const upload = useMutation({
    mutationFn: () => uploadRelease('restic', files),
    onSuccess: async ({ added }) => {
      notifyDone(
        added.length > 0
          ? `Added restic for ${plural(added.length, 'platform')}`
          : 'The appliance had these programs already',
      )
      onDone()
      await componentChanged()
    },
  })
  const take = (more: readonly File[]) => {
    upload.reset()
    setFiles((before) => [...before.filter(({ name }) => !more.some((file) => file.name === name)), ...more])
  }
  return (
    <Stack>
      <FormError error={upload.error} />
      <Text size="sm">
        On a computer with internet, download these files of one release from{' '}
        <Anchor
          href={engine.releases}
          target="_blank"
          rel="noreferrer"
          c="var(--accent-text)"
          size="sm"
          underline="always"
        >
          {engine.releases.replace(/^https?:\/\//, '')}
        </Anchor>
        :
      </Text>
      <List size="sm" spacing={4}>
        <List.Item>
          <Code>SHA256SUMS</Code> and <Code>SHA256SUMS.asc</Code>
        </List.Item>
        <List.Item>
          one for each platform, such as <Code>restic_0.18.0_linux_amd64.bz2</Code> or{' '}
          <Code>restic_0.18.0_windows_amd64.zip</Code>
        </List.Item>
      </List>
      <DropZone label="Release files" Icon={IconFileZip} hint="Drop the files here, or choose them." onDrop={take}>
        <FileButton multiple onChange={take} inputProps={{ 'aria-label': 'Files of the release' }}>
          {(props) => (
            <Button variant="default" data-autofocus {...props}>
              Choose files
            </Button>
          )}
        </FileButton>
      </DropZone>
      {files.length > 0 && <Chosen files={files} onRemove={(file) => setFiles(files.filter((one) => one !== file))} />}
      <DialogFooter>
        <Group gap="sm">
          {upload.isPending && (
            <Text size="sm" c="dimmed" role="status">
              Uploading and verifying…
            </Text>
          )}
          <Button disabled={files.length === 0} loading={upload.isPending} onClick={() => upload.mutate()}>
            Upload
          </Button>
        </Group>
      </DialogFooter>
    </Stack>
  )
}

function Chosen({ files, onRemove }: { files: readonly File[]; onRemove: (file: File) => void }) {
  return (
    <Stack gap={4} component="ul" className={classes.chosen} aria-label="Selected files">
      {files.map((file) => (
        <Group key={file.name} component="li" justify="space-between" wrap="nowrap" gap="sm">
          <Text size="sm" className="mono" style={{ overflowWrap: 'anywhere' }}>
            {file.name}
          </Text>
          <Group gap="xs" wrap="nowrap">
            <Text size="sm" c="dimmed" style={{ whiteSpace: 'nowrap' }}>
              {bytes(file.size)}
            </Text>
            <Button
              size="compact-xs"
              variant="subtle"
              color="gray"
              aria-label={`Don’t upload ${file.name}`}
              onClick={() => onRemove(file)}
            >
              <IconX size={14} />
            </Button>
          </Group>
        </Group>
      ))}
    </Stack>
  )
}
