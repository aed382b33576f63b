import { Button, Group, Stack } from '@mantine/core'
import { type FormEvent, type ReactNode, useEffect } from 'react'
import { lifecycleChanged } from '../../data/lifecycle.ts'
import { ApiError } from '../../lib/api-error.ts'
import { FormError } from '../../ui/form-error.tsx'
import { actionLabels } from './action-labels.ts'
import type { LifecycleAction } from './lifecycle-actions.ts'

interface Props {
  action: LifecycleAction
  error: unknown
  isPending: boolean
  isBlocked?: boolean
  onConfirm: () => void
  onClose: () => void
  children: ReactNode
}

/** Content of a dialog that confirms an action on an organization. */
export function ConfirmForm({ action, error, isPending, isBlocked = false, onConfirm, onClose, children }: Props) {
  const { confirm, isGrave = false } = actionLabels[action]
  useEffect(() => {
    // Another user was faster, so the status on the page is out of date.
    if (error instanceof ApiError && error.status === 409) void lifecycleChanged()
  }, [error])
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!isBlocked && !isPending) onConfirm()
  }
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        {children}
        <FormError error={error} />
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onClose} data-autofocus={isGrave || undefined}>
            Go back
          </Button>
          <Button
            type="submit"
            loading={isPending}
            disabled={isBlocked}
            data-autofocus={!isGrave || undefined}
            {...(isGrave && { color: 'red' })}
          >
            {confirm}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
