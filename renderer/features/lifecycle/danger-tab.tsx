import { Button, Group, Stack, Text, Title } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useId, useState } from 'react'
import type { Organization } from '../../../shared/api/organizations.ts'
import { distinguishingText } from '../../domain/organizations/same-names.ts'
import { useDeviceCount } from '../../domain/organizations/use-device-count.ts'
import { useMe } from '../../lib/session.ts'
import { Panel } from '../../ui/panel.tsx'
import { actionLabels } from './action-labels.ts'
import classes from './danger-tab.module.css'
import { actionsFor, hasWithheldActions, type LifecycleAction } from './lifecycle-actions.ts'
import { LifecycleDialog, type MergeFormSlot } from './lifecycle-dialog.tsx'

interface Props {
  organization: Organization
  mergeForm: MergeFormSlot
}

/** Everything that ends an organization or restricts it, each action once, the harmless first. */
export function DangerTab({ organization, mergeForm }: Props) {
  const me = useMe()
  const [chosen, setChosen] = useState<LifecycleAction>('suspend')
  const [isOpen, dialog] = useDisclosure()
  const ask = (action: LifecycleAction) => {
    setChosen(action)
    dialog.open()
  }
  const deviceCount = useDeviceCount(organization.id)
  const actions = actionsFor(organization.status, me, deviceCount)
  return (
    <Stack maw={760}>
      <Panel title="Danger zone">
        <Text size="sm" mb="xs" style={{ overflowWrap: 'anywhere' }}>
          These actions apply to <b>{organization.name}</b> ({distinguishingText({ ...organization, deviceCount })}).
        </Text>
        {actions.length === 0 && (
          <Text size="sm" c="dimmed">
            Nothing can be changed until the merge is finished.
          </Text>
        )}
        {actions.map((action) => (
          <ActionRow key={action} action={action} onAsk={() => ask(action)} />
        ))}
        {organization.status === 'churned' && (
          <Text size="sm" c="dimmed" mt="md">
            Closed organizations can’t be archived or merged. Reopen it first, at the top of the page.
          </Text>
        )}
        {hasWithheldActions(organization.status, me) && (
          <Text size="sm" c="dimmed" mt="md">
            Only people of the company can close, archive or merge its organizations; the operator of the appliance
            can’t.
          </Text>
        )}
      </Panel>
      <LifecycleDialog
        organization={organization}
        action={chosen}
        isOpen={isOpen}
        onClose={dialog.close}
        mergeForm={mergeForm}
      />
    </Stack>
  )
}

function ActionRow({ action, onAsk }: { action: LifecycleAction; onAsk: () => void }) {
  const { title, about, isGrave } = actionLabels[action]
  const aboutId = useId()
  return (
    <Group className={classes.row} justify="space-between" gap="sm">
      <div className={classes.words}>
        <Title order={3} size="sm">
          {title}
        </Title>
        <Text id={aboutId} size="sm" c="dimmed">
          {about}
        </Text>
      </div>
      <Button
        aria-describedby={aboutId}
        variant={isGrave ? 'light' : 'default'}
        {...(isGrave && { color: 'red' })}
        onClick={onAsk}
      >
        {title}…
      </Button>
    </Group>
  )
}
