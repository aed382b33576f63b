import { Button, Group, List, Stack } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import type { Organization } from '../../../shared/api/organizations.ts'
import { mergeOrganizationMutation } from '../../data/organization-merge.ts'
import { distinguishingText, pairNames } from '../../domain/organizations/same-names.ts'
import { useDeviceCount } from '../../domain/organizations/use-device-count.ts'
import { FormError } from '../../ui/form-error.tsx'
import { TypedName } from '../../ui/typed-name.tsx'
import type { Survivor } from './merge-choice.tsx'

interface Props {
  organization: Organization
  survivor: Survivor
  onBack: () => void
  onStarted: (jobId: string) => void
}

export function MergeConfirm({ organization, survivor, onBack, onStarted }: Props) {
  const { id, name } = organization
  const [typed, setTyped] = useState('')
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
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (typed === name && !start.isPending) start.mutate({ survivorId: survivor.id, confirmName: typed })
  }
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <List size="sm" spacing={4}>
          <List.Item>
            <b>{survivor.name}</b> ({distinguishingText(survivor)}) stays, and gets everything.
          </List.Item>
          <List.Item>
            <b>{name}</b> ({distinguishingText({ ...organization, deviceCount })}) is shut to everybody while it is
            moved, and gone afterwards.
          </List.Item>
          <List.Item>Its devices keep their agents and report to {survivorName}.</List.Item>
          <List.Item>Its people are signed out once.</List.Item>
          <List.Item>This can not be undone.</List.Item>
        </List>
        <TypedName name={name} value={typed} onChange={setTyped} />
        <FormError error={start.error} />
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onBack}>
            Back
          </Button>
          <Button type="submit" color="red" loading={start.isPending} disabled={typed !== name}>
            Merge for good
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
