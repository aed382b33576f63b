import { Group, Stack, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTabTitle } from '../lib/use-tab-title.ts'
import classes from './page-header.module.css'

interface Props {
  title: string
  /** Title of the browser tab, if it differs. */
  tabTitle?: string
  before?: ReactNode
  beside?: ReactNode
  about?: ReactNode
  actions?: ReactNode
}

export function PageHeader({ title, tabTitle, before, beside, about, actions }: Props) {
  useTabTitle(tabTitle ?? title)
  return (
    <div className={classes.header}>
      {before && <div className={classes.before}>{before}</div>}
      <Group justify="space-between" align="flex-start" gap="sm">
        <Stack gap={2} miw={0} flex="1 1 300px">
          <Group gap="sm" mih={36}>
            <Title order={1} style={{ overflowWrap: 'anywhere' }}>
              {title}
            </Title>
            {beside}
          </Group>
          {about && (
            <Text component="div" size="sm" c="dimmed">
              {about}
            </Text>
          )}
        </Stack>
        {actions && <Group gap="xs">{actions}</Group>}
      </Group>
    </div>
  )
}
