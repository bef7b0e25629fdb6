# PowerShell completion for __PROGRAM__: asks the program (`__complete`), then follows its directive.

Register-ArgumentCompleter -Native -CommandName '__PROGRAM__' -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)

    # Only what stands before the cursor counts.
    $line = $commandAst.ToString()
    $length = $cursorPosition - $commandAst.Extent.StartOffset
    if ($line.Length -gt $length) { $line = $line.Substring(0, $length) }
    $flag = if ($wordToComplete -match '^-.*?=') { $Matches[0] } else { '' }
    $typed = $wordToComplete.Substring($flag.Length)
    # Of a quote that is begun, what it stands for counts; the whole word is written anew.
    if ($typed -match "^'") { $typed = $typed.Substring(1).Replace("''", "'") }
    elseif ($typed -match '^"') { $typed = $typed.Substring(1).Replace('""', '"').Replace('`', '') }
    if ($line.EndsWith($wordToComplete)) { $line = $line.Substring(0, $line.Length - $wordToComplete.Length) }
    else { $line = $line -replace '\S*$', '' }
    $words = @($line -split '\s+' | Where-Object { $_ -ne '' })
    $arguments = @($words | Select-Object -Skip 1) + "$flag$typed"
    # An empty argument reaches a program only when it is quoted, up to 7.2 and wherever the old way of passing is chosen.
    $dropsEmpty = $PSVersionTable.PSVersion -lt [version]'7.3' -or $PSNativeCommandArgumentPassing -eq 'Legacy'
    if ($dropsEmpty) { $arguments = @($arguments | ForEach-Object { if ($_ -eq '') { '""' } else { $_ } }) }

    $reply = @(& $words[0] __complete @arguments 2>$null)
    if ($reply.Count -eq 0 -or $reply[-1] -notmatch '^:\d+$') { return }
    $directive = [int]$reply[-1].Substring(1)
    # Nothing returned lets PowerShell complete files.
    if ($directive -band 1 -or $directive -band 8 -or $directive -band 16) { return }
    $space = if ($directive -band 2) { '' } else { ' ' }
    # The old way of passing arguments breaks a word at its double quotes, and cmd.exe reads once more what a batch file is given.
    $breaks = if ($dropsEmpty) { '"|\\$' } else { '' }
    $command = Get-Command $words[0] -ErrorAction SilentlyContinue | Select-Object -First 1
    if ($command.Source -match '\.(cmd|bat)$') { $breaks = '["%^&|<>!()]|\\$' }

    $offered = 0
    foreach ($candidate in @($reply | Select-Object -SkipLast 1)) {
        $name, $description = $candidate -split "`t", 2
        if (-not $name.StartsWith($typed) -or $name -match '\p{Cc}' -or ($breaks -and $name -match $breaks)) { continue }
        $description = "$description" -replace '\p{Cc}', ' '
        if (-not $description) { $description = $name }
        $offered += 1
        # Plain words stay as they are. In single quotes nothing is read but quotes, of which there are several.
        $word = "$flag$name"
        if ($name -notmatch '^[A-Za-z0-9_./:=+-][A-Za-z0-9_./:=+,@-]*\z') {
            $word = "'" + [System.Management.Automation.Language.CodeGeneration]::EscapeSingleQuotedStringContent($word) + "'"
        }
        [System.Management.Automation.CompletionResult]::new("$word$space", $name, 'ParameterValue', $description)
    }
    # An empty text keeps PowerShell from completing files.
    if ($offered -eq 0 -and ($directive -band 4)) { '' }
}
