import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { Organization } from '../../../shared/api/organizations.ts'
import { deleteOrganizationMutation, lifecycleChanged } from '../../data/lifecycle.ts'
import { notifyDone } from '../../lib/notify.ts'
import { ConfirmActionForm } from './confirm-action-form.tsx'
import { Consequences } from './consequences.tsx'

interface Props {
  organization: Organization
  onClose: () => void
}

export function RemoveForm({ organization: { id, name }, onClose }: Props) {
  const navigate = useNavigate()
  const remove = useMutation({
    ...deleteOrganizationMutation(id),
    onSuccess: async () => {
      notifyDone(`${name} was deleted`)
      // The organization's own page would only report that it is gone.
      await navigate({ to: '/organizations', search: {} })
      await lifecycleChanged()
    },
  })
  return (
    <ConfirmActionForm
      action="remove"
      consequences={<Consequences action="remove" orgId={id} />}
      typedName={name}
      error={remove.error}
      isPending={remove.isPending}
      onConfirm={() => remove.mutate()}
      onClose={onClose}
    />
  )
}
