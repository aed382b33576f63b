import { Group, Stack, Text, ThemeIcon, Title } from '@mantine/core'
import { IconCheck } from '@tabler/icons-react'
import { plural } from '../../lib/format.ts'
import classes from './home.module.css'

export function AllGood({ devices }: { devices: number }) {
  return (
    <div className={classes.good}>
      <Group gap="md" wrap="nowrap">
        <ThemeIcon color="teal" variant="light" size={44} radius="xl" aria-hidden>
          <IconCheck size={24} stroke={2} />
        </ThemeIcon>
        <Stack gap={2}>
          <Title order={2} size="h4">
            All good
          </Title>
          <Text size="sm" c="dimmed">
            {plural(devices, 'device')}, and nothing needs your attention.
          </Text>
        </Stack>
      </Group>
    </div>
  )
}
