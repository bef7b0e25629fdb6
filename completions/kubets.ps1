# PowerShell completion for __PROGRAM__: asks the program (`__complete`), then follows its directive.

Register-ArgumentCompleter -Native -CommandName '__PROGRAM__' -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)

    # Only what stands before the cursor counts.
    $line = $commandAst.ToString()
    $length = $cursorPosition - $commandAst.Extent.StartOffset
    if ($line.Length -gt $length) { $line = $line.Substring(0, $length) }
    $words = @($line -split '\s+' | Where-Object { $_ -ne '' })
    $arguments = @($words | Select-Object -Skip 1)
    if ($wordToComplete -eq '') { $arguments += '' }
    # An empty argument reaches a program only when it is quoted, up to 7.2 and wherever the old way of passing is chosen.
    $dropsEmpty = $PSVersionTable.PSVersion -lt [version]'7.3' -or $PSNativeCommandArgumentPassing -eq 'Legacy'
    if ($dropsEmpty) { $arguments = @($arguments | ForEach-Object { if ($_ -eq '') { '""' } else { $_ } }) }

    $reply = @(& $words[0] __complete @arguments 2>$null)
    if ($reply.Count -eq 0 -or $reply[-1] -notmatch '^:\d+$') { return }
    $directive = [int]$reply[-1].Substring(1)
    # Nothing returned lets PowerShell complete files.
    if ($directive -band 1 -or $directive -band 8 -or $directive -band 16) { return }
    $flag = if ($wordToComplete -match '^-.*?=') { $Matches[0] } else { '' }
    $typed = $wordToComplete.Substring($flag.Length)
    $space = if ($directive -band 2) { '' } else { ' ' }

    $offered = 0
    foreach ($candidate in @($reply | Select-Object -SkipLast 1)) {
        $name, $description = $candidate -split "`t", 2
        if (-not $name.StartsWith($typed)) { continue }
        if (-not $description) { $description = $name }
        $offered += 1
        [System.Management.Automation.CompletionResult]::new("$flag$name$space", $name, 'ParameterValue', $description)
    }
    # An empty text keeps PowerShell from completing files.
    if ($offered -eq 0 -and ($directive -band 4)) { '' }
}
