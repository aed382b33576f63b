/** The first line of a script that does something, else its first comment; empty for an empty script. */
export function firstLineOf(script: string): string {
  // Comments of several lines exist in PowerShell only, and no shell command begins like one.
  const lines = script.replaceAll(/^\s*<#[\s\S]*?#>/gm, '').split('\n', maxLines)
  const first =
    lines.find((line) => line.trim() !== '' && !/^\s*#/.test(line)) ?? script.split('\n', maxLines).find(Boolean)
  return (first ?? '').trim().slice(0, maxCharacters)
}

/** A script may be long, and lists show many of them. */
const maxLines = 200
const maxCharacters = 300
