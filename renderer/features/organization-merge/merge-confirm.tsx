import { useMutation } from '@tanstack/react-query'
import type { Organization } from '../../../shared/api/organizations.ts'
import { mergeOrganizationMutation } from '../../data/organization-merge.ts'
import { distinguishingText, pairNames } from '../../domain/organizations/same-names.ts'
import { useDeviceCount } from '../../domain/organizations/use-device-count.ts'
import { ConfirmForm } from '../../ui/confirm-form.tsx'
import type { Survivor } from './merge-choice.tsx'

interface Props {
  organization: Organization
  survivor: Survivor
  onBack: () => void
  onStarted: (jobId: string) => void
}

export function MergeConfirm({ organization, survivor, onBack, onStarted }: Props) {
  const { id, name } = organization
  const deviceCount = useDeviceCount(id)
  const [, survivorName] = pairNames(organization, survivor)
  const { mutationFn, onSuccess } = mergeOrganizationMutation(id)
  const start = useMutation({
    mutationFn,
    onSuccess: (reply) => {
      onStarted(reply.jobId)
      return onSuccess(reply)
    },
  })
  return (
    <ConfirmForm
      consequences={[
        <>
          <b>{survivor.name}</b> ({distinguishingText(survivor)}) stays and receives everything.
        </>,
        <>
          <b>{name}</b> ({distinguishingText({ ...organization, deviceCount })}) is inaccessible during the merge and
          deleted afterwards.
        </>,
        `Its devices keep their agents and report to ${survivorName}.`,
        'Its people are signed out once.',
        'This can’t be undone.',
      ]}
      confirm="Merge permanently"
      cancel="Back"
      typedName={name}
      isPending={start.isPending}
      error={start.error}
      onConfirm={() => start.mutate({ survivorId: survivor.id, confirmName: name })}
      onCancel={onBack}
    />
  )
}
