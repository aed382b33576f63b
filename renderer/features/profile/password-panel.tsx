import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { Me } from '../../../shared/api/profile.ts'
import { passwordProblem } from '../../../shared/fields.ts'
import { changeOwnPassword } from '../../data/profile.ts'
import { api } from '../../lib/api.ts'
import { fieldErrorsOf, isWrongPassword } from '../../lib/error-messages.ts'
import { forgetSession } from '../../lib/session.ts'
import { FormError } from '../../ui/form-error.tsx'
import { NewPassword } from '../../ui/new-password.tsx'
import { Panel } from '../../ui/panel.tsx'
import { PasswordField } from '../../ui/password-field.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'

export function PasswordPanel({ me }: { me: Me }) {
  const [isChanging, setChanging] = useState(false)
  return (
    <Panel
      title="Password"
      actions={
        me.hasPassword &&
        !me.isPasswordClosed && (
          <Button size="xs" variant="default" onClick={() => setChanging(true)}>
            Change
          </Button>
        )
      }
    >
      <Text size="sm" c="dimmed">
        <AboutPassword me={me} />
      </Text>
      <Modal opened={isChanging} onClose={() => setChanging(false)} title="Change your password">
        <PasswordForm me={me} />
      </Modal>
    </Panel>
  )
}

function AboutPassword({ me }: { me: Me }) {
  if (!me.hasPassword)
    return `Your account has no password: you sign in with your identity provider.${me.isPasswordClosed ? '' : ownPassword}`
  if (me.isPasswordClosed) return 'Not in use: you sign in with your identity provider.'
  if (!me.passwordChangedAt) return 'Never changed since the account was created.'
  return (
    <>
      Changed <RelativeTime at={me.passwordChangedAt} />.
    </>
  )
}

const ownPassword = 'To have one as well, use “Forgot your password?” on the sign-in page.'

function PasswordForm({ me }: { me: Me }) {
  const navigate = useNavigate()
  const form = useForm({
    initialValues: { currentPassword: '', newPassword: '' },
    validate: {
      currentPassword: (password) => (password ? null : 'Enter your current password'),
      newPassword: passwordProblem,
    },
  })
  const save = useMutation({
    ...changeOwnPassword,
    onSuccess: async () => {
      // First, or the sign-in page would redirect back for the old session.
      api.signOut()
      await navigate({ to: '/login', search: { reason: 'password-changed' } })
      forgetSession('password-changed')
    },
    onError: (error) =>
      form.setErrors(isWrongPassword(error) ? { currentPassword: 'Wrong password' } : fieldErrorsOf(error)),
  })
  return (
    <form onSubmit={form.onSubmit((values) => save.mutate(values))} noValidate>
      <Stack>
        <Text size="sm">All sessions end, including this one: sign in again with the new password.</Text>
        {!isWrongPassword(save.error) && <FormError error={save.error} />}
        {/* Tells password managers which account the password belongs to. */}
        <input type="email" name="email" autoComplete="username" value={me.email} readOnly hidden />
        <PasswordField
          label="Current password"
          name="current-password"
          autoComplete="current-password"
          data-autofocus
          {...form.getInputProps('currentPassword')}
        />
        <NewPassword
          label="New password"
          about={[me.email, me.name, me.partnerName ?? '']}
          {...form.getInputProps('newPassword')}
          value={form.values.newPassword}
        />
        <Group justify="flex-end">
          <Button type="submit" loading={save.isPending}>
            Change password
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
