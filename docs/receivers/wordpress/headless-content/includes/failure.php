<?php
namespace HeadlessContent;

defined('ABSPATH') || exit;

/** What could not be done, in words for the log. */
class Failure extends \RuntimeException
{
    /** Whether trying again may help. */
    public bool $passes;

    public function __construct(string $message, bool $passes = true)
    {
        parent::__construct($message);
        $this->passes = $passes;
    }
}
