import { Button, Code, Group, List, Modal, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { downloadBackupMutation } from '../../data/appliance-backup.ts'
import { saveFile } from '../../lib/clipboard.ts'
import { notifyDone } from '../../lib/notify.ts'
import { FormError } from '../../ui/form-error.tsx'

interface Props {
  isOpen: boolean
  onClose: () => void
  opensHereOnly: boolean
}

export function DownloadBackup({ isOpen, onClose, opensHereOnly }: Props) {
  return (
    <Modal opened={isOpen} onClose={onClose} title="Download a backup">
      <Question opensHereOnly={opensHereOnly} onDone={onClose} />
    </Modal>
  )
}

/** Closing the dialog cancels the download. */
function Question({ opensHereOnly, onDone }: { opensHereOnly: boolean; onDone: () => void }) {
  const left = useRef<AbortController>(null)
  useEffect(() => () => left.current?.abort(), [])
  const download = useMutation({
    ...downloadBackupMutation,
    mutationFn: () => {
      left.current = new AbortController()
      return downloadBackupMutation.mutationFn(left.current.signal)
    },
    onSuccess: (file) => {
      if (left.current?.signal.aborted) return
      saveFile(`homeport-${new Date().toISOString().slice(0, 10)}.tgz`, file)
      notifyDone('Backup downloaded')
      onDone()
    },
  })
  return (
    <Stack>
      <FormError error={download.error} />
      <Text size="sm">
        The file holds everything on this appliance, secrets included: keys, password hashes and the certificate
        authority.
      </Text>
      <List size="sm" spacing={4}>
        <List.Item>
          Anyone who has the file can act as this appliance. Keep it where only administrators can read it.
        </List.Item>
        <List.Item>The download is recorded in the audit log.</List.Item>
        <List.Item>
          To restore it, stop the appliance and run <Code>npm run admin -- restore FILE</Code> there.
        </List.Item>
        {opensHereOnly && (
          <List.Item>Its keys are protected by this desktop’s keychain and open on this computer only.</List.Item>
        )}
      </List>
      <Group justify="flex-end">
        {download.isPending && (
          <Text size="sm" c="dimmed" role="status">
            Making the backup. A large one takes minutes.
          </Text>
        )}
        <Button data-autofocus loading={download.isPending} onClick={() => download.mutate()}>
          Download
        </Button>
      </Group>
    </Stack>
  )
}
