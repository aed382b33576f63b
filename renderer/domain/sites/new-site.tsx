import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { modals } from '@mantine/modals'
import type { Site } from '../../../shared/api/sites.ts'
import { SiteForm } from './site-form.tsx'

interface NewSiteProps {
  org: { id: string; name: string }
  onBack: () => void
  onCreated: (site: Pick<Site, 'id'>) => void
}

/** Stands in place of a form that needs a site. The form’s state is outside of it, and so its input is kept. */
export function NewSite({ org, onBack, onCreated }: NewSiteProps) {
  return (
    <Stack gap="sm">
      <div>
        <Text size="sm" fw={600}>
          New site in {org.name}
        </Text>
        <Text size="sm" c="dimmed">
          For example a city, a building or a data center.
        </Text>
      </div>
      <SiteForm
        orgId={org.id}
        otherwise={
          <Button variant="subtle" color="gray" onClick={onBack}>
            Back
          </Button>
        }
        onDone={onCreated}
      />
    </Stack>
  )
}

/** Above a form that is too long to make room for it. */
export function openNewSite(orgId: string): void {
  const modalId = 'new-site'
  const close = () => modals.close(modalId)
  modals.open({
    modalId,
    title: 'New site',
    children: <SiteForm orgId={orgId} onDone={close} />,
  })
}

interface NoSiteProps {
  children: string
  /** Null for users who may not create one. */
  onAdd: (() => void) | null
}

/** Where a site is to be chosen and there is none. */
export function NoSite({ children, onAdd }: NoSiteProps) {
  return (
    <Alert variant="light" p="sm">
      <Group justify="space-between" gap="sm">
        <Text size="sm">
          {children}
          {!onAdd && ' Ask someone who can manage its sites.'}
        </Text>
        {onAdd && (
          <Button variant="default" size="xs" onClick={onAdd}>
            New site
          </Button>
        )}
      </Group>
    </Alert>
  )
}
