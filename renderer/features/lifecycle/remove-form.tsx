import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { Organization } from '../../../shared/api/organizations.ts'
import { deleteOrganizationMutation, lifecycleChanged } from '../../data/lifecycle.ts'
import { notifyDone } from '../../lib/notify.ts'
import { TypedName } from '../../ui/typed-name.tsx'
import { ConfirmForm } from './confirm-form.tsx'
import { Consequences } from './consequences.tsx'

interface Props {
  organization: Organization
  onClose: () => void
}

export function RemoveForm({ organization: { id, name }, onClose }: Props) {
  const [typed, setTyped] = useState('')
  const navigate = useNavigate()
  const erase = useMutation({
    ...deleteOrganizationMutation(id),
    onSuccess: async () => {
      notifyDone(`${name} is deleted`)
      // The organization's own page would only report that it is gone.
      await navigate({ to: '/organizations', search: {} })
      await lifecycleChanged()
    },
  })
  return (
    <ConfirmForm
      action="remove"
      error={erase.error}
      isPending={erase.isPending}
      isBlocked={typed !== name}
      onConfirm={() => erase.mutate()}
      onClose={onClose}
    >
      <Consequences action="remove" orgId={id} />
      <TypedName name={name} value={typed} onChange={setTyped} />
    </ConfirmForm>
  )
}
