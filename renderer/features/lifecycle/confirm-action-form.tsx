import { type ReactNode, useEffect } from 'react'
import { lifecycleChanged } from '../../data/lifecycle.ts'
import { ApiError } from '../../lib/api-error.ts'
import { ConfirmForm } from '../../ui/confirm-form.tsx'
import { actionLabels } from './action-labels.ts'
import type { LifecycleAction } from './lifecycle-actions.ts'

interface Props {
  action: LifecycleAction
  consequences: ReactNode
  typedName?: string | undefined
  error: unknown
  isPending: boolean
  isBlocked?: boolean
  onConfirm: () => void
  onClose: () => void
  children?: ReactNode
}

/** Where “Cancel” would be both answers. */
const kept: Partial<Record<LifecycleAction, string>> = {
  cancelClosing: 'Keep closing',
  cancelArchiving: 'Keep archiving',
}

/** Confirms an action on an organization. */
export function ConfirmActionForm({ action, error, onClose, ...props }: Props) {
  const { confirm, isGrave = false } = actionLabels[action]
  useEffect(() => {
    // Another user was faster, so the status on the page is out of date.
    if (error instanceof ApiError && error.status === 409) void lifecycleChanged()
  }, [error])
  return (
    <ConfirmForm
      {...props}
      confirm={confirm}
      cancel={kept[action]}
      isHarmless={!isGrave}
      error={error}
      onCancel={onClose}
    />
  )
}
