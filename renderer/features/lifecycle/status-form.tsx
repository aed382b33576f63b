import { useMutation } from '@tanstack/react-query'
import type { Organization } from '../../../shared/api/organizations.ts'
import { changeOrganizationStatus } from '../../data/lifecycle.ts'
import { useDeviceCount } from '../../domain/organizations/use-device-count.ts'
import { notifyDone } from '../../lib/notify.ts'
import { ConfirmActionForm } from './confirm-action-form.tsx'
import { Consequences } from './consequences.tsx'
import { needsTypedName, type StatusChange, statusAfterChange } from './lifecycle-actions.ts'

interface Props {
  organization: Organization
  change: StatusChange
  onClose: () => void
}

const done: Record<StatusChange, string> = {
  resume: 'is active again',
  activate: 'is active',
  trial: 'is a trial now',
  reopen: 'is active again',
  cancelClosing: 'is active again',
  cancelArchiving: 'is active again',
  suspend: 'is suspended',
  close: 'is being closed',
  uninstall: ': removing agents',
  end: 'is closed',
}

export function StatusForm({ organization: { id, name }, change, onClose }: Props) {
  const isNameNeeded = needsTypedName(change, useDeviceCount(id))
  const { mutationFn, onSuccess } = changeOrganizationStatus(id)
  const save = useMutation({
    mutationFn,
    onSuccess: () => {
      onClose()
      notifyDone(`${name} ${done[change]}`)
      return onSuccess()
    },
  })
  return (
    <ConfirmActionForm
      action={change}
      consequences={<Consequences action={change} orgId={id} />}
      typedName={isNameNeeded ? name : undefined}
      error={save.error}
      isPending={save.isPending}
      onConfirm={() => save.mutate(statusAfterChange[change])}
      onClose={onClose}
    />
  )
}
