import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core'
import { IconFingerprint, IconPencil, IconTrash } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import type { Passkey } from '../../../shared/api/passkeys.ts'
import { removePasskey, renamePasskeyMutation } from '../../data/profile.ts'
import { notifyDone } from '../../lib/notify.ts'
import { ConfirmForm } from '../../ui/confirm-form.tsx'
import { FormError } from '../../ui/form-error.tsx'
import { PasswordField } from '../../ui/password-field.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { RowMenu } from '../../ui/row-menu.tsx'
import { FactorRow } from './factor-row.tsx'

interface Props {
  passkey: Passkey
  isPasswordNeeded: boolean
  /** It is the last factor that the partner's policy accepts. */
  isRequired: boolean
}

export function PasskeyRow({ passkey, isPasswordNeeded, isRequired }: Props) {
  const [dialog, setDialog] = useState<'rename' | 'delete' | null>(null)
  const close = () => setDialog(null)
  return (
    <FactorRow
      icon={<IconFingerprint size={22} stroke={1.6} />}
      name={passkey.name}
      actions={
        <RowMenu
          name={passkey.name}
          actions={[
            { label: 'Rename…', Icon: IconPencil, onClick: () => setDialog('rename') },
            { label: 'Delete…', Icon: IconTrash, isDestructive: true, onClick: () => setDialog('delete') },
          ]}
        />
      }
    >
      Passkey for {passkey.rpId}. <Used at={passkey.lastUsedAt} />
      <Modal opened={dialog === 'rename'} onClose={close} title="Rename the passkey">
        <RenameForm passkey={passkey} onDone={close} />
      </Modal>
      <Modal opened={dialog === 'delete'} onClose={close} title={`Delete ${passkey.name}?`}>
        {isRequired ? (
          <LastOne onDone={close} />
        ) : (
          <DeleteForm passkey={passkey} isPasswordNeeded={isPasswordNeeded} onDone={close} />
        )}
      </Modal>
    </FactorRow>
  )
}

function Used({ at }: { at: string | null }) {
  if (!at) return 'Not used yet.'
  return (
    <>
      Last used <RelativeTime at={at} />.
    </>
  )
}

function RenameForm({ passkey, onDone }: { passkey: Passkey; onDone: () => void }) {
  const [name, setName] = useState(passkey.name)
  const save = useMutation({
    ...renamePasskeyMutation,
    onSuccess: async () => {
      onDone()
      await renamePasskeyMutation.onSuccess()
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (name.trim()) save.mutate({ id: passkey.id, name: name.trim() })
  }
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <FormError error={save.error} />
        <TextInput
          label="Name"
          data-autofocus
          maxLength={255}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <Group justify="flex-end">
          <Button type="submit" loading={save.isPending} disabled={!name.trim()}>
            Save
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

function LastOne({ onDone }: { onDone: () => void }) {
  return (
    <Stack>
      <Text size="sm">
        A second factor is required for you, and this is your last accepted one. Add another one first, then you can
        delete this passkey.
      </Text>
      <Group justify="flex-end">
        <Button data-autofocus onClick={onDone}>
          Cancel
        </Button>
      </Group>
    </Stack>
  )
}

interface DeleteProps {
  passkey: Passkey
  isPasswordNeeded: boolean
  onDone: () => void
}

function DeleteForm({ passkey, isPasswordNeeded, onDone }: DeleteProps) {
  const [password, setPassword] = useState('')
  const remove = useMutation({
    ...removePasskey,
    onSuccess: async () => {
      onDone()
      notifyDone(`${passkey.name} was deleted`)
      await removePasskey.onSuccess()
    },
  })
  return (
    <ConfirmForm
      consequences="Homeport no longer accepts this passkey, and your other sessions end. You can also remove it from your device or password manager."
      confirm="Delete passkey"
      isPending={remove.isPending}
      isBlocked={isPasswordNeeded && !password}
      error={remove.error}
      onConfirm={() => remove.mutate({ id: passkey.id, ...(isPasswordNeeded && { currentPassword: password }) })}
      onCancel={onDone}
    >
      {isPasswordNeeded && (
        <PasswordField
          label="Your password"
          name="password"
          autoComplete="current-password"
          data-autofocus
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
        />
      )}
    </ConfirmForm>
  )
}
