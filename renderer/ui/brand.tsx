import { Group, Text } from '@mantine/core'

export function Brand({ size = 24 }: { size?: number }) {
  return (
    <Group gap={9} wrap="nowrap">
      <img src="/icon.svg" width={size} height={size} alt="" />
      <Text fw={650} size={size > 28 ? 'xl' : 'md'} lts="-0.01em">
        Homeport
      </Text>
    </Group>
  )
}
