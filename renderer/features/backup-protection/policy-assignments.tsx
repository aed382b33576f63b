import { Button, CloseButton, Group, Stack, Text } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import type { ConfigurationPolicy, PolicyAssignment } from '../../../shared/api/configuration-policies.ts'
import { assign, policyAssignmentsQuery, unassign } from '../../data/backup-policies.ts'
import { organizationQuery } from '../../data/organizations.ts'
import { assignmentWords } from '../../domain/backup-policies/assignment-words.ts'
import { notifyFailed } from '../../lib/notify.ts'
import { focusFirstField } from '../../ui/dialog-focus.ts'
import { FormError } from '../../ui/form-error.tsx'
import { Listed } from '../../ui/loaded.tsx'
import { newTarget, type TargetDraft, TargetFields, targetError, targetsOf } from './target-fields.tsx'

/** Which devices a policy is for; each change takes effect immediately. */
export function PolicyAssignments({ orgId, policy }: { orgId: string; policy: ConfigurationPolicy }) {
  const assignments = useQuery(policyAssignmentsQuery(policy.id))
  const orgName = useQuery(organizationQuery(orgId)).data?.name ?? ''
  const [target, setTarget] = useState<TargetDraft>(newTarget)
  const [isTried, setTried] = useState(false)
  const problem = targetError(target)
  const add = useMutation({ ...assign(policy.id), onSuccess: () => setTarget(newTarget) })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    setTried(problem !== undefined)
    if (problem === undefined) add.mutate(targetsOf(target, orgId))
  }
  return (
    <Stack>
      <Listed of={assignments} lines={2} empty="Assigned to no devices yet.">
        {(all) => (
          <Stack gap={4} component="ul" m={0} p={0} style={{ listStyle: 'none' }}>
            {all.map((one) => (
              <Assignment key={one.id} assignment={one} />
            ))}
          </Stack>
        )}
      </Listed>
      <form ref={focusFirstField} onSubmit={submit} noValidate>
        <Stack gap="sm">
          <FormError error={add.error} />
          <TargetFields
            orgId={orgId}
            orgName={orgName}
            target={target}
            error={isTried ? problem : undefined}
            onChange={(part) => setTarget((old) => ({ ...old, ...part }))}
          />
          <Group justify="flex-end">
            <Button type="submit" loading={add.isPending}>
              Assign
            </Button>
          </Group>
        </Stack>
      </form>
    </Stack>
  )
}

function Assignment({ assignment }: { assignment: PolicyAssignment }) {
  const words = assignmentWords(assignment)
  const end = useMutation({
    ...unassign(assignment.configPolicyId),
    onError: notifyFailed('The assignment wasn’t ended'),
  })
  return (
    <Group component="li" justify="space-between" wrap="nowrap">
      <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
        {words}
      </Text>
      <CloseButton
        aria-label={`End the assignment to ${words}`}
        disabled={end.isPending}
        onClick={() => end.mutate(assignment.id)}
      />
    </Group>
  )
}
