import { List, SimpleGrid, Text, ThemeIcon } from '@mantine/core'
import { IconArrowRight, IconX } from '@tabler/icons-react'

/** What a device takes to another organization. */
export function WhatMoves({ from }: { from: string | undefined }) {
  return (
    <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="md">
      <Effects
        title="Moves along"
        Icon={IconArrowRight}
        lines={[
          'Name, role, tags, custom fields',
          'Inventory, metrics, command history',
          'Maintenance',
          'Agent: reconnects automatically',
        ]}
      />
      <Effects
        title="Stays behind"
        Icon={IconX}
        lines={[
          'Group memberships',
          'Waiting commands: canceled',
          'Past audit events',
          `Access of people limited to ${from ?? 'its organization'}`,
        ]}
      />
    </SimpleGrid>
  )
}

interface EffectsProps {
  title: string
  Icon: typeof IconX
  lines: string[]
}

function Effects({ title, Icon, lines }: EffectsProps) {
  return (
    <div>
      <Text size="sm" fw={600} mb={6}>
        {title}
      </Text>
      <List
        size="sm"
        spacing={4}
        lh={1.4}
        icon={
          <ThemeIcon size={18} variant="transparent" color="gray" aria-hidden>
            <Icon size={14} stroke={2} />
          </ThemeIcon>
        }
      >
        {lines.map((line) => (
          <List.Item key={line}>{line}</List.Item>
        ))}
      </List>
    </div>
  )
}
