import { Avatar, Button, FileButton, Group, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { avatarKinds } from '../../../shared/api/avatars.ts'
import type { Me } from '../../../shared/api/profile.ts'
import { removePicture, setPicture } from '../../data/avatars.ts'
import { UserAvatar } from '../../domain/people/user-avatar.tsx'
import { toDataUri } from '../../lib/data-uri.ts'
import { notifyDone } from '../../lib/notify.ts'
import { useUnsavedChanges } from '../../lib/unsaved-changes.ts'
import { FormError } from '../../ui/form-error.tsx'
import { Panel } from '../../ui/panel.tsx'
import { pictureFromFile } from './picture-file.ts'

interface Chosen {
  picture: Blob
  preview: string
}

export function PicturePanel({ me }: { me: Me }) {
  const [chosen, setChosen] = useState<Chosen | null>(null)
  const [error, setError] = useState<Error | null>(null)
  // Shows the error of the last attempt only.
  const telling = { onMutate: () => setError(null), onError: setError }
  useUnsavedChanges(chosen !== null)
  const choose = useMutation({
    mutationFn: async (file: File) => {
      const picture = await pictureFromFile(file)
      return { picture, preview: await toDataUri(picture) }
    },
    ...telling,
    onSuccess: setChosen,
  })
  const save = useMutation({
    ...setPicture,
    ...telling,
    onSuccess: async () => {
      await setPicture.onSuccess()
      setChosen(null)
      notifyDone('Picture saved')
    },
  })
  const remove = useMutation({
    ...removePicture,
    ...telling,
    onSuccess: async () => {
      notifyDone('Picture removed')
      await removePicture.onSuccess()
    },
  })
  const leave = () => {
    setError(null)
    setChosen(null)
  }
  return (
    <Panel title="Picture">
      <Stack gap="sm">
        <FormError error={error} />
        <Group gap="md" wrap="nowrap" align="center">
          {chosen ? (
            <Avatar src={chosen.preview} alt="Selected picture" size={84} radius="100%" />
          ) : (
            <UserAvatar person={me} size={84} />
          )}
          <Stack gap="xs">
            <Text size="sm" c="dimmed">
              {chosen ? 'Preview' : 'PNG, JPEG or WebP. We crop it to a square and discard the original.'}
            </Text>
            <Group gap="xs">
              {chosen && (
                <>
                  <Button size="xs" loading={save.isPending} onClick={() => save.mutate(chosen.picture)}>
                    Save picture
                  </Button>
                  <Button size="xs" variant="subtle" color="gray" onClick={leave}>
                    Cancel
                  </Button>
                </>
              )}
              <FileButton
                accept={avatarKinds.join(',')}
                inputProps={{ 'aria-label': 'Image file' }}
                onChange={(file) => file && choose.mutate(file)}
              >
                {(button) => (
                  <Button size="xs" variant="default" loading={choose.isPending} {...button}>
                    {chosen || me.avatarUrl ? 'Choose another' : 'Choose picture'}
                  </Button>
                )}
              </FileButton>
              {me.avatarUrl && !chosen && (
                <Button
                  size="xs"
                  variant="subtle"
                  color="gray"
                  loading={remove.isPending}
                  onClick={() => remove.mutate()}
                >
                  Remove
                </Button>
              )}
            </Group>
          </Stack>
        </Group>
      </Stack>
    </Panel>
  )
}
