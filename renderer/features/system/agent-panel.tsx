import { Anchor, Code, Text } from '@mantine/core'
import type { ConnectionInfo } from '../../data/system.ts'
import { Copyable } from '../../ui/copyable.tsx'
import { Fact, Facts } from '../../ui/facts.tsx'
import { Panel } from '../../ui/panel.tsx'

export function AgentPanel({ agent }: Pick<ConnectionInfo, 'agent'>) {
  return (
    <Panel title="Device agent and API">
      {!agent && (
        <Text size="sm" mb="sm">
          The device agent hasn’t been built on this appliance: run <Code>npm run build:agent</Code> there.
        </Text>
      )}
      <Facts>
        {agent && (
          <>
            <Fact name="Agent version">{agent.version}</Fact>
            <Fact name="Agent file">
              <Anchor href={agent.path} download c="var(--accent-text)" size="sm">
                {agent.path.split('/').at(-1)}
              </Anchor>
            </Fact>
            <Fact name="SHA-256">
              <Copyable text={agent.sha256} label="Copy agent checksum" />
            </Fact>
          </>
        )}
        <Fact name="API">
          <Anchor href="/api/docs" target="_blank" c="var(--accent-text)" size="sm">
            API reference
          </Anchor>
        </Fact>
      </Facts>
    </Panel>
  )
}
